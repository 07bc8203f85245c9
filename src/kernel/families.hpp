#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernel/gather/plan.hpp"
#include "kernel/interleave/plan.hpp"
#include "kernel/rung/plan.hpp"
#include "kernel/small/plan.hpp"
#include "kernel/unaligned/plan.hpp"

namespace cornerturn {

/// One row of the table of kernels `kernel_families`: a plan type and what the house asks of it. `Family::candidates` has
/// the plans of this family for a canonical problem whose elements are as large as the alignment allows; none where the family
/// cannot move the problem. The functions on plans lie beside the plan type: `name_of` and `idea_of` say which kernel it is,
/// `describe` has its parameters, `expected_seconds` is its cost, `gpu::run` enqueues it on a stream (null: the default one),
/// `host::run` runs it block after block on host memory, and `host::record` records one block of each kind of its launch.
template <class Family>
concept kernel_family = requires(typename Family::plan const& plan, problem const& refitted, alignment const& aligned,
                                 gpu_model const& gpu, void const* source, void* destination, void* stream, recording* record,
                                 std::uintptr_t address, std::function<void(recording const&, std::int64_t)> const& visit) {
  { Family::name } -> std::convertible_to<std::string_view>;
  { Family::candidates(refitted, aligned, gpu) } -> std::same_as<std::vector<estimate<typename Family::plan>>>;
  { name_of(plan) } -> std::same_as<std::string_view>;
  { idea_of(plan) } -> std::same_as<std::string_view>;
  { describe(plan) } -> std::same_as<std::string>;
  { expected_seconds(plan, gpu) } -> std::same_as<double>;
  gpu::run(plan, source, destination, stream);
  host::run(plan, source, destination, record);
  { host::record(plan, address, address, visit) } -> std::same_as<int>;
};

template <kernel_family... Family>
struct family_table {
  /// A plan of any family, or of one of the other types.
  template <class... Others>
  using plan_or = std::variant<typename Family::plan..., Others...>;

  /// Calls visit.template operator()<Family>() for each row, in the table's order.
  template <class Visit>
  static void for_each(Visit const& visit) {
    (visit.template operator()<Family>(), ...);
  }
};

/// The kernels that a GPU can run, a row for each family. Of candidates with equal estimates the one of the earlier row is
/// chosen.
using kernel_families = family_table<rung_family, small_family, interleave_family, unaligned_family, gather_family>;

}  // namespace cornerturn
