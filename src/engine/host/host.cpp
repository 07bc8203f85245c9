#include "engine/host/host.hpp"

#include "engine/host/run.hpp"
#include "tile/elements.hpp"

namespace cornerturn::host {

void run(plan const& plan, void const* source, void* destination, recording* record) {
  visit_element(plan.element_size,
                [&]<class T>(T) { run_elements(plan, static_cast<T const*>(source), static_cast<T*>(destination), record); });
}

}  // namespace cornerturn::host
