#include "engine/host/interleave.hpp"

#include "block/host.hpp"
#include "tile/elements.hpp"
#include "tile/interleave.hpp"

namespace cornerturn::host {

void run(interleave_plan const& plan, void const* source, void* destination, recording* record) {
  visit_element(plan.element_size, [&]<class T>(T) {
    if constexpr (sizeof(T) < 16) {
      tile::interleaving<T> const args{static_cast<T const*>(source) + plan.source_offset,
                                       static_cast<T*>(destination) + plan.destination_offset, plan.job};
      tile::visit_interleave<T>(plan.few, plan.together, [&]<class Program>(Program) {
        host_block block(Program::kThreads, Program::kSharedBytes, record);
        for (int index = 0; index * Program::kThreads < plan.job.count; ++index)
          block.run(index, [&] { Program::run(block, args); });
      });
    }
  });
}

}  // namespace cornerturn::host
