#include "engine/host/planned.hpp"

#include "block/host.hpp"
#include "engine/host/host.hpp"
#include "explain/classes.hpp"
#include "plan/visit_program.hpp"

namespace cornerturn::host {
namespace {

template <class Plan>
void run_planned(Plan const& plan, void const* source, void* destination, recording* record) {
  visit_program(plan, source, destination,
                [&]<class Program, class Args>(Program, Args const& args, int blocks, int shared_bytes) {
                  host_block block(Program::kThreads, std::size_t(shared_bytes), record);
                  for (int index = 0; index < blocks; ++index) block.run(index, [&] { Program::run(block, args); });
                });
}

using block_visitor = std::function<void(recording const&, std::int64_t)>;

template <class Plan>
int record_planned(Plan const& plan, std::uintptr_t source, std::uintptr_t destination, block_visitor const& visit) {
  int threads = 0;
  visit_program(plan, reinterpret_cast<void const*>(source), reinterpret_cast<void*>(destination),
                [&]<class Program, class Args>(Program, Args const& args, int, int shared_bytes) {
                  threads = Program::kThreads;
                  recording record{.addresses_only = true, .accesses = {}};
                  host_block block(threads, std::size_t(shared_bytes), &record);
                  for (auto const& each : classes_of(plan, {source, destination})) {
                    record.accesses.clear();
                    block.run(each.index, [&] { Program::run(block, args); });
                    visit(record, each.count);
                  }
                });
  return threads;
}
int record_planned(rung_plan const& plan, std::uintptr_t source, std::uintptr_t destination, block_visitor const& visit) {
  auto const launch = record(plan, source, destination);
  for (auto const& [count, block] : launch.blocks) visit(block, count);
  return plan.tile.threads;
}
int record_planned(cpu_plan const&, std::uintptr_t, std::uintptr_t, block_visitor const&) { throw std::bad_variant_access(); }

}  // namespace

void run(gather_plan const& plan, void const* source, void* destination, recording* record) {
  run_planned(plan, source, destination, record);
}
void run(interleave_plan const& plan, void const* source, void* destination, recording* record) {
  run_planned(plan, source, destination, record);
}
void run(small_plan const& plan, void const* source, void* destination, recording* record) {
  run_planned(plan, source, destination, record);
}
void run(unaligned_plan const& plan, void const* source, void* destination, recording* record) {
  run_planned(plan, source, destination, record);
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

int record(candidate const& chosen, std::uintptr_t source, std::uintptr_t destination, block_visitor const& each) {
  return std::visit([&](auto const& plan) { return record_planned(plan, source, destination, each); }, chosen.kernel);
}

}  // namespace cornerturn::host
