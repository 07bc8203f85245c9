#pragma once

#include <array>
#include <string>

namespace cornerturn {

/// What CUDA reports of a GPU, as far as estimates depend on it. A rate or size that CUDA does not report is 0.
struct gpu_attributes {
  std::string name;  ///< the driver's, e.g. "NVIDIA H200"
  int sm_count = 0;
  double clock_hz = 0;                 ///< the highest clock of the SMs
  double memory_bytes_per_second = 0;  ///< theoretical: the memory clock, twice a cycle, times the bus width
  double l2_bytes = 0;
  int threads_per_sm = 0, registers_per_sm = 0, blocks_per_sm = 0;
  int shared_bytes_per_sm = 0;
  int reserved_shared_bytes = 0;  ///< what CUDA takes of shared memory for each block
};

/// How fast one kernel family moves elements of one size, when only the one resource limits it.
struct kernel_rates {
  double bytes_per_second;        ///< read and written
  double sectors_per_second;      ///< 32-byte sectors through the L2 cache
  double instructions_per_cycle;  ///< warp instructions that one SM issues
  double wavefronts_per_cycle;    ///< shared-memory wavefronts of one SM
  double tile_seconds;            ///< the least time that a tile takes from its first load to its last store
  double sharpness;               ///< exponent p of the p-norm that adds up the times of all resources
  double lone_block_share;        ///< of the launch's time: what it takes longer if an SM holds one block at a time
  double start_seconds;           ///< from the launch to the first load, and from the last store to the end
};

/// The constants of `predict`, which tells the speed of a rung from its counts.
struct rung_rates {
  double dram_bytes_per_second, l2_bytes_per_second;
  double copy_start_seconds;                                    ///< what a copy takes besides its bytes
  double load_seconds, shared_memory_seconds, tma_box_seconds;  ///< latency of one dependent access
};

/// What the planner's estimates know of a GPU.
struct gpu_model {
  std::string name;        ///< as a sentence says it: "an H200"
  bool is_scaled = false;  ///< the rates are another GPU's, scaled by the attributes of both
  gpu_attributes limits;
  double clock_hz;                        ///< the clock of the SMs while a kernel runs
  double copy_bytes_per_second;           ///< read and written by a kernel that is limited by memory alone
  double cached_bytes;                    ///< source and destination together up to this size stay in the L2 cache
  double few_tiles_bytes;                 ///< arrays below this size leave SMs idle unless their tiles are small
  double start_seconds;                   ///< of a launch of a rung
  double small_lead_seconds;              ///< how much earlier than a rung the `small` kernel starts
  double block_seconds;                   ///< the least time that a rung's block takes
  double split_row_seconds;               ///< added for each row whose first and last sectors are written in part
  std::array<kernel_rates, 5> gather;     ///< for elements of 1, 2, 4, 8 and 16 bytes
  std::array<kernel_rates, 2> unaligned;  ///< for elements of 1 and 2 bytes
  kernel_rates interleave;                ///< of rows that begin unaligned
  rung_rates rungs;
};

/// The model that everything was fitted to. It stands in where there is no GPU.
gpu_model const& h200_model();

/// The model of a GPU with these attributes: the H200's own for an H200, else the H200's scaled.
gpu_model model_for(gpu_attributes const& card);

}  // namespace cornerturn
