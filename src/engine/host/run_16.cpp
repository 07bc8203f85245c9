#include "engine/host/run.hpp"

namespace cornerturn::host {

template void run_elements(plan const&, bits128 const*, bits128*, recording*);

}  // namespace cornerturn::host
