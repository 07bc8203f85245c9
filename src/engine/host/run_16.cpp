#include "engine/host/run.hpp"

namespace cornerturn::host {

template void run_elements(rung_plan const&, bits128 const*, bits128*, recording*,
                           std::function<void(block_runner const&)> const&);

}  // namespace cornerturn::host
