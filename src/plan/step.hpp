#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "cpu/families.hpp"
#include "kernel/families.hpp"

namespace cornerturn {

/// The buffers that the steps of a plan share. The workspace is memory of the place where the plan runs. Staging is pinned host
/// memory, from which a GPU copies while the host goes on. The call is a `quantize_call`, which has the addresses of the arrays
/// of a matrix to quantise; then the destination is the largest magnitude of all elements.
enum class buffer_role { source, destination, workspace, staging, call };

/// The place in a buffer where a step begins to read or write.
struct buffer_position {
  buffer_role role;
  std::int64_t offset = 0;  ///< bytes from the buffer's pointer
};

/// A copy of consecutive bytes between staging and the GPU's workspace.
struct transfer {
  enum class direction { to_device, to_host };
  static constexpr std::string_view family = "transfer";
  static constexpr int version = 1;

  direction where;
  std::int64_t bytes = 0;

  auto parameters() const { return std::tuple(int(where), bytes); }
};

/// Sets consecutive bytes to 0.
struct clearing {
  static constexpr std::string_view family = "clearing";
  static constexpr int version = 1;

  std::int64_t bytes = 0;

  auto parameters() const { return std::tuple(bytes); }
};

std::string describe(transfer const& each);
std::string describe(clearing const& each);

/// All kinds of work that a step can be.
using all_work = decltype(joined(launched_families(), cpu_families(), family_table<transfer, clearing>()));

/// One action of a plan: a GPU kernel with the parameters of its launch, a plan of the CPU engine, a transfer, or a clearing. In
/// a plan in place the array is the destination, and steps read and write the destination and the workspace.
struct step {
  all_work::any_plan kernel;
  buffer_position source{buffer_role::source}, destination{buffer_role::destination};
  bool is_beside_last = false;  ///< a launch that a GPU may run beside the launch of the step before it
};

/// A step that reads and writes the destination.
template <class Plan>
step inplace_step(Plan kernel) {
  return {std::move(kernel), {buffer_role::destination}, {buffer_role::destination}};
}

/// The pointers to a plan's buffers, which the caller owns. The offsets of the problem count from `source` and `destination`. A
/// buffer that no step uses may be null; a step that uses a null buffer throws std::logic_error.
struct plan_memory {
  void const* source = nullptr;
  void* destination = nullptr;
  void* workspace = nullptr;
  void* staging = nullptr;
  quantize_call* call = nullptr;

  /// The address that a step reads from.
  void const* read_by(step const& each) const {
    if (each.source.role == buffer_role::source) return static_cast<std::byte const*>(source) + each.source.offset;
    return writable(each.source);
  }
  /// The address that a step writes to.
  void* written_by(step const& each) const { return writable(each.destination); }

 private:
  void* writable(buffer_position const& at) const;
};

/// Calls use(plan) with the plan of a step that is a row of `Families`, and returns the result. Throws std::bad_variant_access
/// for any other step.
template <class Families, class Use>
auto with_plan_of(step const& each, Use const& use) {
  return std::visit(
      [&]<class Plan>(Plan const& plan) -> std::invoke_result_t<Use const&, typename Families::first_plan const&> {
        if constexpr (Families::template has<Plan>)
          return use(plan);
        else
          throw std::bad_variant_access();
      },
      each.kernel);
}
template <class Use>
auto with_kernel(step const& each, Use const& use) {
  return with_plan_of<launched_families>(each, use);
}
template <class Use>
auto with_cpu_plan(step const& each, Use const& use) {
  return with_plan_of<cpu_families>(each, use);
}

std::string describe(step const& each);

/// Tells steps of one problem apart in files: family, version and parameters, such as "direct.1:16,4,false,3".
std::string id_of(step const& each);

}  // namespace cornerturn
