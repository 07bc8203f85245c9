#include "engine/host/run.hpp"

namespace cornerturn::host {

template void run_elements(rung_plan const&, std::uint8_t const*, std::uint8_t*, recording*,
                           std::function<void(block_runner const&)> const&);

}  // namespace cornerturn::host
