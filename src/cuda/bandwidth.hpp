#pragma once

namespace cornerturn {

/// A device's theoretical memory bandwidth in GB/s: memory clock, twice a cycle, times bus width.
double theoretical_bandwidth_gbs(int device);

}  // namespace cornerturn
