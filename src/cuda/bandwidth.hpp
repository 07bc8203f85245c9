#pragma once

namespace cornerturn {

/// A device's theoretical memory bandwidth in GB/s (1e9 bytes): memory clock, twice per cycle, times bus width.
double theoretical_bandwidth_gbs(int device);

}  // namespace cornerturn
