#include "engine/host/host.hpp"

#include <cstring>
#include <variant>

#include "engine/cpu/cpu.hpp"
#include "kernel/rung/plan.hpp"

namespace cornerturn::host {
namespace {

void run(transfer const& plan, void const* source, void* destination) {
  std::memcpy(destination, source, std::size_t(plan.bytes));
}

void run(clearing const& plan, void const*, void* destination) { std::memset(destination, 0, std::size_t(plan.bytes)); }

}  // namespace

void run(std::span<step const> steps, plan_memory const& memory) {
  for (step const& each : steps)
    std::visit(
        [&]<class Plan>(Plan const& plan) {
          if constexpr (cpu_families::has<Plan>)
            cpu::run({&each, 1}, memory);
          else
            run(plan, memory.read_by(each), memory.written_by(each));
        },
        each.kernel);
}

int record(step const& kernel, plan_memory const& at, std::function<void(recording const&, std::int64_t)> const& visit) {
  auto const source = reinterpret_cast<std::uintptr_t>(at.read_by(kernel)),
             destination = reinterpret_cast<std::uintptr_t>(at.written_by(kernel));
  return with_kernel(kernel, [&](auto const& plan) { return record(plan, source, destination, visit); });
}

recorded_launch record_launch(rung_plan const& plan, std::uintptr_t source, std::uintptr_t destination) {
  recorded_launch launch;
  visit_runner(plan, reinterpret_cast<void const*>(source), reinterpret_cast<void*>(destination), nullptr,
               [&](block_runner const& runner) { launch.tiles = runner.tiles(); });
  record(plan, source, destination, [&](recording const& block, std::int64_t alike) { launch.blocks.push_back({alike, block}); });
  return launch;
}

}  // namespace cornerturn::host
