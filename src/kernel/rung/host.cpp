#include <algorithm>

#include "kernel/rung/last_use.hpp"
#include "kernel/rung/runner.hpp"
#include "kernel/rung/visit_use.hpp"
#include "tile/elements.hpp"

namespace cornerturn::host {

/// The host always has the ladder, so that every build explains it.
constexpr variant_use kLastHostUse = std::max(kLastUse, variant_use::ladder);

template <>
void visit_runner(rung_plan const& plan, void const* source, void* destination, recording* record,
                  std::function<void(block_runner const&)> const& work) {
  visit_element(plan.element_size, [&]<class T>(T) {
    visit_use<kLastHostUse>(plan, [&]<variant_use Use>(use_constant<Use>) {
      run_elements<T, Use>(plan, static_cast<T const*>(source), static_cast<T*>(destination), record, work);
    });
  });
}

}  // namespace cornerturn::host
