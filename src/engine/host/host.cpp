#include "engine/host/host.hpp"

#include <cstring>
#include <variant>

#include "cpu/run.hpp"
#include "kernel/rung/runner.hpp"

namespace cornerturn::host {

void run(std::span<step const> steps, plan_memory const& memory) {
  for (step const& each : steps) {
    auto const* const source = memory.read_by(each);
    auto* const destination = memory.written_by(each);
    if (auto const* const on_cpu = std::get_if<cpu_plan>(&each.kernel))
      cpu::run(*on_cpu, source, destination);
    else if (auto const* const converted = std::get_if<cpu_convert>(&each.kernel))
      cpu::run(*converted, source, destination);
    else if (auto const* const copied = std::get_if<transfer>(&each.kernel))
      std::memcpy(destination, source, std::size_t(copied->bytes));
    else if (auto const* const cleared = std::get_if<clearing>(&each.kernel))
      std::memset(destination, 0, std::size_t(cleared->bytes));
    else
      with_kernel(each, [&](auto const& plan) { run(plan, source, destination, nullptr); });
  }
}

int record(step const& kernel, std::uintptr_t source, std::uintptr_t destination,
           std::function<void(recording const&, std::int64_t)> const& visit) {
  return with_kernel(kernel, [&](auto const& plan) { return record(plan, source, destination, visit); });
}

recorded_launch record_launch(rung_plan const& plan, std::uintptr_t source, std::uintptr_t destination) {
  recorded_launch launch;
  visit_rung_runner(plan, reinterpret_cast<void const*>(source), reinterpret_cast<void*>(destination), nullptr,
                    [&](rung_runner const& runner) { launch.tiles = runner.tiles(); });
  record(plan, source, destination, [&](recording const& block, std::int64_t alike) { launch.blocks.push_back({alike, block}); });
  return launch;
}

}  // namespace cornerturn::host
