#include "engine/host/run.hpp"

namespace cornerturn::host {

template void run_elements(plan const&, std::uint32_t const*, std::uint32_t*, recording*);

}  // namespace cornerturn::host
