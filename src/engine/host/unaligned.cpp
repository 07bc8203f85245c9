#include "engine/host/unaligned.hpp"

#include "block/host.hpp"
#include "tile/elements.hpp"
#include "tile/unaligned.hpp"

namespace cornerturn::host {

void run(unaligned_plan const& plan, void const* source, void* destination, recording* record) {
  visit_element(plan.element_size, [&]<class T>(T) {
    if constexpr (sizeof(T) <= 2) {
      auto const args = tile::unaligned_matrices<T>::over(static_cast<T const*>(source) + plan.source_offset,
                                                          static_cast<T*>(destination) + plan.destination_offset, plan.job);
      tile::visit_unaligned<T>(plan.tile, [&]<class Program>(Program) {
        host_block block(Program::kThreads, Program::kSharedBytes, record);
        for (int index = 0; index < plan.job.count; ++index) block.run(index, [&] { Program::run(block, args); });
      });
    }
  });
}

}  // namespace cornerturn::host
