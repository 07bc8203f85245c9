#include <algorithm>

#include "kernel/rung/last_use.hpp"
#include "kernel/rung/runner.hpp"
#include "kernel/rung/visit_use.hpp"
#include "tile/elements.hpp"

namespace cornerturn::host {

/// The host always has the ladder, so that every build explains it.
constexpr variant_use kLastHostUse = std::max(kLastUse, variant_use::ladder);

void visit_runner(rung_plan const& plan, std::uintptr_t source, std::uintptr_t destination, recording* record,
                  std::function<void(rung_runner const&)> const& work) {
  visit_element(plan.element_size, [&]<class T>(T) {
    visit_use<kLastHostUse>(plan, [&]<variant_use Use>(use_constant<Use>) {
      run_elements<T, Use>(plan, reinterpret_cast<T const*>(source), reinterpret_cast<T*>(destination), record, work);
    });
  });
}

void run(rung_plan const& plan, void const* source, void* destination, recording* record) {
  visit_runner(plan, reinterpret_cast<std::uintptr_t>(source), reinterpret_cast<std::uintptr_t>(destination), record,
               [&](rung_runner const& runner) {
                 for (std::int64_t index = 0; index < plan.blocks; ++index) runner.run(index);
               });
}

int record(rung_plan const& plan, std::uintptr_t source, std::uintptr_t destination, block_visitor const& visit) {
  recording record{.addresses_only = true, .accesses = {}};
  visit_runner(plan, source, destination, &record, [&](rung_runner const& runner) {
    for (auto const& each : classes_of(plan, runner.down)) {
      record.accesses.clear();
      runner.run(each.index);
      visit(record, each.count);
    }
  });
  return plan.tile.threads;
}

}  // namespace cornerturn::host
