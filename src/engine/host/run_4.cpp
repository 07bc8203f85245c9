#include "engine/host/run.hpp"

namespace cornerturn::host {

template void run_elements(plan const&, std::uint32_t const*, std::uint32_t*, recording*,
                           std::function<void(block_runner const&)> const&);

}  // namespace cornerturn::host
