#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "cpu/boxes/plan.hpp"
#include "cpu/convert/plan.hpp"
#include "cpu/panels/plan.hpp"
#include "cpu/swap/plan.hpp"
#include "cpu/tiles/plan.hpp"
#include "kernel/families.hpp"

namespace cornerturn {

/// The buffers that the steps of a plan share. The workspace is memory of the place where the plan runs. Staging is pinned host
/// memory, from which a GPU copies while the host goes on.
enum class buffer_role { source, destination, workspace, staging };

/// The place in a buffer where a step begins to read or write.
struct buffer_position {
  buffer_role role;
  std::int64_t offset = 0;  ///< bytes from the buffer's pointer
};

/// A copy of consecutive bytes between staging and the GPU's workspace.
struct transfer {
  enum class direction { to_device, to_host };
  direction where;
  std::int64_t bytes = 0;
};

/// Sets consecutive bytes of the workspace to 0.
struct clearing {
  std::int64_t bytes = 0;
};

/// One thing that a plan does: a GPU kernel with all that its launch needs, a plan of the CPU engine, a transfer, or a clearing.
/// The array of a plan that works in place is the destination; its steps read and write that role and the workspace.
struct step {
  all_families::plan_or<cpu_plan, cpu_convert, cpu_swap, cpu_panels, cpu_boxes, transfer, clearing> kernel;
  buffer_position source{buffer_role::source}, destination{buffer_role::destination};
};

/// A step that reads and writes the destination.
template <class Plan>
step inplace_step(Plan kernel) {
  return {std::move(kernel), {buffer_role::destination}, {buffer_role::destination}};
}

/// The pointers to a plan's buffers, of which the caller owns all. The offsets of the problem count from `source` and
/// `destination`. A buffer that no step uses may be null; a step that uses a null one throws std::logic_error.
struct plan_memory {
  void const* source = nullptr;
  void* destination = nullptr;
  void* workspace = nullptr;
  void* staging = nullptr;

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

/// Calls use(plan) with the plan of a step that is a GPU kernel, and returns what that returns. Throws std::bad_variant_access
/// for any other step.
template <class Use>
auto with_kernel(step const& each, Use const& use) {
  return std::visit(
      [&]<class Plan>(Plan const& plan) -> decltype(use(std::declval<rung_plan const&>())) {
        if constexpr (requires { idea_of(plan); })
          return use(plan);
        else
          throw std::bad_variant_access();
      },
      each.kernel);
}

std::string describe(transfer const& each);
std::string describe(clearing const& each);
std::string describe(step const& each);

}  // namespace cornerturn
