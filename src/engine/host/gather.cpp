#include "engine/host/gather.hpp"

#include "block/host.hpp"
#include "engine/host/host.hpp"
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
  if (auto const* const rung = std::get_if<rung_plan>(&chosen.kernel)) return run(*rung, source, destination);
  run(std::get<gather_plan>(chosen.kernel), source, destination);
}

}  // namespace cornerturn::host
