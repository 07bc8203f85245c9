#include "engine/host/gather.hpp"

#include "block/host.hpp"
#include "engine/host/host.hpp"
#include "engine/host/interleave.hpp"
#include "engine/host/unaligned.hpp"
#include "tile/elements.hpp"
#include "tile/gather_programs.hpp"

namespace cornerturn::host {

void run(gather_plan const& plan, void const* source, void* destination, recording* record) {
  visit_element(plan.element_size, [&]<class T>(T) {
    auto const args = tile::gathering<T>::over(static_cast<T const*>(source) + plan.source_offset,
                                               static_cast<T*>(destination) + plan.destination_offset, plan.job);
    tile::visit_gather<T>(plan.form, [&]<class Program>(Program) {
      host_block block(Program::kThreads, std::size_t(plan.job.shared_bytes), record);
      for (int index = 0; index < plan.job.tiles; ++index) block.run(index, [&] { Program::run(block, args); });
    });
  });
}

void run(candidate const& chosen, void const* source, void* destination) {
  std::visit(
      [&]<class Plan>(Plan const& plan) {
        if constexpr (std::is_same_v<Plan, cpu_plan>)
          throw std::bad_variant_access();
        else
          run(plan, source, destination);
      },
      chosen.kernel);
}

}  // namespace cornerturn::host
