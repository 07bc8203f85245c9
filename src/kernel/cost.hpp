#pragma once

#include <array>

#include "block/sizes.hpp"
#include "machine/gpu_model.hpp"

namespace cornerturn {

/// The work of one launch, estimated from the plan's tile.
struct demand {
  double bytes = 0;         ///< bytes that the kernel reads and writes
  double sectors = 0;       ///< 32-byte sectors that the L2 cache moves
  double split_rows = 0;    ///< destination rows whose first and last sectors are written in part
  double wavefronts = 0;    ///< shared-memory wavefronts
  double instructions = 0;  ///< warp instructions
  double tiles = 0;         ///< tiles of the launch
  double resident = 1;      ///< tiles that one SM holds at once
};

inline constexpr int kWarpsPerBlock = 8;

/// The wavefronts of one request of a warp. Its lanes load `bytes` bytes each at these offsets in shared memory, in bytes.
int wavefronts_of(std::array<int, kWarp> const& offsets, int bytes);

/// The blocks that one SM holds at once, limited by shared memory and threads; at least one.
double resident_blocks(double shared_bytes, double threads, gpu_attributes const& limits);

/// The blocks that one SM holds at once, limited by the registers of each thread and by threads.
double resident_by_registers(double registers, double threads, gpu_attributes const& limits);

/// The factor by which a launch takes longer because its last wave of blocks leaves SMs idle.
double wave_quantization(double blocks, gpu_model const& gpu);

/// The number of tiles that `blocks` blocks count as, at least one per SM: fewer blocks take as long as one on each SM.
double tiles_of(double blocks, gpu_model const& gpu);

/// The seconds that a launch with this demand takes at these rates.
double seconds_of(demand const& each, kernel_rates const& rate, gpu_model const& gpu);

}  // namespace cornerturn
