#include "cuda/bandwidth.hpp"

#include "cuda/check.hpp"

namespace cornerturn {

double theoretical_bandwidth_gbs(int device) {
  int clock_khz, bus_bits;
  check(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrMemoryClockRate, device), "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&bus_bits, cudaDevAttrGlobalMemoryBusWidth, device), "cudaDeviceGetAttribute");
  return 2e-6 * clock_khz * (bus_bits / 8);
}

}  // namespace cornerturn
