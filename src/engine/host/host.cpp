#include "engine/host/host.hpp"

#include "engine/host/run.hpp"
#include "explain/classes.hpp"
#include "tile/elements.hpp"

namespace cornerturn::host {

void run(rung_plan const& plan, void const* source, void* destination, recording* record) {
  visit_element(plan.element_size, [&]<class T>(T) {
    run_elements<T>(plan, static_cast<T const*>(source), static_cast<T*>(destination), record, [&](block_runner const& runner) {
      for (std::int64_t index = 0; index < plan.blocks; ++index) runner.run(index);
    });
  });
}

recorded_launch record(rung_plan const& plan, std::uintptr_t source, std::uintptr_t destination) {
  recorded_launch launch;
  recording record{.addresses_only = true, .accesses = {}};
  auto const work = [&](block_runner const& runner) {
    launch.down = runner.down;
    launch.tiles = runner.tiles();
    for (auto const& each : classes_of(plan, runner.down)) {
      record.accesses.clear();
      runner.run(each.index);
      launch.blocks.push_back({each.count, record});
    }
  };
  visit_element(plan.element_size, [&]<class T>(T) {
    run_elements<T>(plan, reinterpret_cast<T const*>(source), reinterpret_cast<T*>(destination), &record, work);
  });
  return launch;
}

}  // namespace cornerturn::host
