#pragma once

#include <array>
#include <string>

namespace cornerturn {

/// The attributes of a GPU on which estimates depend, as CUDA reports them. An attribute that CUDA does not report is 0.
struct gpu_attributes {
  std::string name;  ///< as the driver reports it, e.g. "NVIDIA H200"
  int sm_count = 0;
  double clock_hz = 0;                 ///< highest clock of the SMs
  double memory_bytes_per_second = 0;  ///< theoretical: the memory clock, twice a cycle, times the bus width
  double l2_bytes = 0;
  int threads_per_sm = 0, registers_per_sm = 0, blocks_per_sm = 0;
  int shared_bytes_per_sm = 0;
  int reserved_shared_bytes = 0;  ///< bytes of shared memory per block that CUDA reserves for itself
  int cluster_blocks = 0;         ///< maximum blocks of a cluster whose blocks each fill an SM; 1 if the GPU has no clusters

  /// The most bytes of shared memory that a block can have, and that each of two blocks on an SM can have.
  int most_shared_bytes() const { return shared_bytes_per_sm - reserved_shared_bytes; }
  int shared_bytes_for_two() const { return shared_bytes_per_sm / 2 - reserved_shared_bytes; }
};

/// The rates of one kernel family for elements of one size, each if its resource alone limits the launch.
struct kernel_rates {
  double bytes_per_second;        ///< read and written
  double sectors_per_second;      ///< 32-byte sectors through the L2 cache
  double instructions_per_cycle;  ///< warp instructions that one SM issues
  double wavefronts_per_cycle;    ///< shared-memory wavefronts of one SM
  double tile_seconds;            ///< latency of a tile, from its first load to its last store
  double sharpness;               ///< exponent p of the p-norm that combines the times of all resources
  double lone_block_share;        ///< relative increase of the launch's time if an SM holds one block at a time
  double start_seconds;           ///< from the launch to the first load, and from the last store to the end
};

/// The constants of a GPU for `predict`, which estimates the speed of a rung from its recorded accesses.
struct rung_rates {
  double dram_bytes_per_second, l2_bytes_per_second;
  double instructions_per_cycle;                                ///< warp instructions that one SM issues
  double copy_start_seconds;                                    ///< time of a copy that does not depend on its size
  double load_seconds, shared_memory_seconds, tma_box_seconds;  ///< latency of one dependent access
  double source_order_factor;  ///< by how much DRAM takes longer if consecutive blocks follow the source's rows
  double far_sectors;          ///< traffic of the L2 cache, in sectors, for a sector that a distant block completes
  double sharpness;            ///< exponent p of the p-norm that combines the times of all resources
};

/// The constants of a GPU from which launches are estimated.
struct gpu_model {
  std::string name;        ///< as it stands in a sentence: "an H200"
  bool is_scaled = false;  ///< true if the rates are an H200's, scaled by the attributes of both GPUs
  gpu_attributes limits;
  double clock_hz;                        ///< clock of the SMs while a kernel runs
  double copy_bytes_per_second;           ///< bytes read and written by a kernel that only memory limits
  double cached_bytes;                    ///< source and destination up to this total size stay in the L2 cache
  double few_tiles_bytes;                 ///< arrays of fewer bytes leave SMs idle unless their tiles are small
  double start_seconds;                   ///< start and end of a rung's launch
  double small_lead_seconds;              ///< by how much `small` starts earlier than a rung
  double block_seconds;                   ///< latency of a rung's block
  double split_row_seconds;               ///< added for each destination row whose first and last sectors are partly written
  double halved_row_share;                ///< share of `split_row_seconds` if another row writes the other half of the sector
  double dram_access_bytes;               ///< the unit in which DRAM is read
  double jump_bytes;                      ///< a jump to another address of DRAM takes as long as this many contiguous bytes
  double write_window_bytes;              ///< the L2 cache joins accesses to parts of a line within this many bytes
  double stored_line_share;               ///< time of the L1 cache for a line that is stored, divided by one that is loaded
  std::array<double, 2> small_blocks;     ///< the most blocks with which each tile of `small` is the fastest choice
  std::array<kernel_rates, 5> gather;     ///< for elements of 1, 2, 4, 8 and 16 bytes
  std::array<kernel_rates, 2> unaligned;  ///< for elements of 1 and 2 bytes
  kernel_rates interleave;                ///< for unaligned rows
  kernel_rates direct;                    ///< a wavefront is one cache line that a request loads
  std::array<kernel_rates, 5> tiled;      ///< for elements of 1, 2, 4, 8 and 16 bytes
  rung_rates rungs;
};

/// The model of an H200, to which the constants were fitted.
gpu_model const& h200_model();

/// The model of plans if no GPU can be used: an H200's, with a name that says that there is no GPU.
gpu_model const& model_without_gpu();

/// The model of a GPU with these attributes. An H200 is recognised by its name alone, because its clock may be set lower. Other
/// GPUs get the H200's model, scaled. A card with another name and an H200's attributes is scaled by 1, so that its estimates are
/// an H200's and only `is_scaled` differs.
gpu_model model_for(gpu_attributes const& card);

}  // namespace cornerturn
