#include "engine/host/run.hpp"

namespace cornerturn::host {

template void run_elements(plan const&, std::uint64_t const*, std::uint64_t*, recording*);

}  // namespace cornerturn::host
