#include "engine/host/planned.hpp"

#include "block/host.hpp"
#include "engine/host/host.hpp"
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

}  // namespace cornerturn::host
