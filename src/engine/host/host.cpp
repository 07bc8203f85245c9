#include "engine/host/host.hpp"

#include "kernel/rung/runner.hpp"

namespace cornerturn::host {

void run(candidate const& chosen, void const* source, void* destination) {
  with_kernel(chosen, [&](auto const& plan) { run(plan, source, destination, nullptr); });
}

int record(candidate const& chosen, std::uintptr_t source, std::uintptr_t destination,
           std::function<void(recording const&, std::int64_t)> const& visit) {
  return with_kernel(chosen, [&](auto const& plan) { return record(plan, source, destination, visit); });
}

recorded_launch record_launch(rung_plan const& plan, std::uintptr_t source, std::uintptr_t destination) {
  recorded_launch launch;
  visit_runner(plan, source, destination, nullptr, [&](block_runner const& runner) {
    launch.down = runner.down;
    launch.tiles = runner.tiles();
  });
  record(plan, source, destination, [&](recording const& block, std::int64_t alike) { launch.blocks.push_back({alike, block}); });
  return launch;
}

}  // namespace cornerturn::host
