#include "kernel/rung/launch.hpp"

#include "base/refuse.hpp"
#include "kernel/rung/last_use.hpp"
#include "kernel/rung/visit_use.hpp"
#include "launch/tensor_map.hpp"
#include "tile/elements.hpp"

namespace cornerturn::gpu {

template <>
void run(rung_plan const& plan, void const* source, void* destination, void* stream, launch_neighbours const&) {
  if (info_of(plan.kernel).uses_tma())
    if (auto const why = why_no_tma(); !why.empty()) throw error(error_kind::device, why);
  if (plan.blocks == 0) return;  // the driver refuses empty tensor maps
  visit_element(plan.element_size, [&]<class T>(T) {
    bool const built = visit_use<kLastUse>(plan, [&]<variant_use Use>(use_constant<Use>) {
      launch_elements<T, Use>(plan, static_cast<T const*>(source), static_cast<T*>(destination),
                              static_cast<cudaStream_t>(stream));
    });
    if (!built) refuse("kernel", name_of(plan.kernel), "a kernel of this build, which was made without those of the ladder");
  });
}

}  // namespace cornerturn::gpu
