#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

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

inline constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// How a wave of blocks counts that does not fill all SMs.
enum class last_wave {
  whole,     ///< it takes as long as a full wave
  overlaps,  ///< it runs beside other waves: the factor is the square root of `whole`'s factor
  partial    ///< it takes its part of a full wave's time
};

/// The rates of one kernel family, each if its resource alone limits the launch. A resource that never does is unlimited.
struct kernel_rates {
  double bytes_per_second = kUnlimited;        ///< read and written
  double sectors_per_second = kUnlimited;      ///< 32-byte sectors through the L2 cache
  double instructions_per_cycle = kUnlimited;  ///< warp instructions that one SM issues
  double wavefronts_per_cycle = kUnlimited;    ///< shared-memory wavefronts of one SM
  double tile_seconds = 0;                     ///< latency of a tile, from its first load to its last store
  double sharpness = kUnlimited;  ///< exponent p of the p-norm that combines the times of all resources; unlimited: the longest
  double lone_block_share = 0;    ///< relative increase of the launch's time if an SM holds one block at a time
  double start_seconds = 0;       ///< from the launch to the first load, and from the last store to the end
  double waited_seconds = 0;      ///< latency of each of `launch_work::waited_instructions`
  double wave_seconds = 0;        ///< latency of a wave of blocks, which a launch takes at least
  last_wave last = last_wave::whole;
  double margin = 1;  ///< factor of all seconds, by which other families are preferred
};

/// Shares of a copy's speed that rungs reach, and factors of their time.
struct rung_rates {
  double copy, vectors, elements;        ///< shares of `copy` and of `vec-both` with 16-byte vectors, and with single elements
  double idle_element;                   ///< time of a thread outside the matrix, as a share of the time of one inside
  double idle_small_element;             ///< the same for elements of 1 and 2 bytes
  double other_copy_tile;                ///< factor of tiles of `copy` other than the first
  double other_tile, short_thread;       ///< the same for rows of more than 128 bytes; if a thread has one vector
  double narrow_tile, narrow_unaligned;  ///< the same for shorter rows; if they begin within sectors and are not cached
  double wave_seconds;                   ///< latency of a block
};

/// The rates of `small` in addition to `copies`.
struct small_rates {
  struct of_form {
    double start_seconds, block_seconds;  ///< of a launch; of a block on an SM
  };

  double share, cached_share;                   ///< of a copy's speed; if both arrays stay in the L2 cache
  double blocks;                                ///< the most blocks that are the fastest choice
  std::array<std::array<of_form, 5>, 5> forms;  ///< for elements of 1, 2, 4, 8 and 16 bytes, in the order of `small_forms_of`
};

/// The rates of `flat` in addition to `copies`.
struct flat_rates {
  double share, cached_share;  ///< of a copy's speed; if both arrays stay in the L2 cache
  double blocks;               ///< the most blocks that are the fastest choice
  double sectors_per_second;
  std::array<double, 4> start_seconds;                 ///< of a launch, in the order of `kFlatForms`
  std::array<double, 4> digits;                        ///< factors of a block's time, in the same order
  std::array<std::array<double, 3>, 5> block_seconds;  ///< of a block on an SM, for 1, 2, 4, 8 and 16 bytes and each tile
};

/// The rates of `interleave` in addition to `copies`.
struct interleave_rates {
  double share;            ///< of a copy's speed, with aligned rows of any length
  double start_seconds;    ///< of a launch with aligned rows whose arrays stay in the L2 cache
  double jump_bytes;       ///< a jump to another address of DRAM takes as long as this many contiguous bytes
  kernel_rates unaligned;  ///< for unaligned rows
};

/// Shares of a copy's speed with which squares are swapped.
struct swap_rates {
  double vectors, elements;                  ///< transposed by 16-byte vectors, and by single elements
  double row, row_per_byte, most_row;        ///< by rows of runs: for each element, for each of its bytes, and the most
  double small_run, small_run_per_byte;      ///< run by run, with elements of 1 and 2 bytes: for each element, for each byte
  double word_run, double_run;               ///< the same with elements of 4 and of 8 bytes
  double odd_units, even_units, full_units;  ///< the same with 16-byte units: one sector or whole cache lines are `full`

  // Slots of rectangles, before they are planned.
  double unaligned_slots, unaligned_slots_per_byte, most_unaligned_slots;  ///< unaligned: for each element, each byte, the most
  double half_unaligned_slots;  ///< runs of this number of bytes reach half of these shares
  double unit_slots;            ///< aligned runs of one 16-byte unit
};

/// Shares of a copy's speed that clusters of blocks reach, with two blocks on an SM or one. `large` clusters have 16 blocks.
struct cluster_shares {
  double pair, large_pair, single, large_single;

  double of(int cluster, bool has_pair) const {
    bool const is_large = cluster > 8;
    return has_pair ? (is_large ? large_pair : pair) : (is_large ? large_single : single);
  }
};

/// Shares of a copy's speed with which panels are moved, and factors of them.
struct panels_rates {
  cluster_shares aligned;
  double unaligned_single;                   ///< factor of unaligned rows if an SM has room for one block
  double unaligned_bytes, unaligned_pairs;   ///< factors of unaligned elements of 1 and of 2 bytes
  double unaligned_others;                   ///< factor of larger ones
  double computed;                           ///< factor of elements whose addresses have no constant distance
  double resident, wave_seconds;             ///< blocks on an SM, and their latency
  double exchanged_after, exchanged_before;  ///< shares if slots are exchanged after they are transposed, and before
  double half_row, half_count;               ///< bytes of a row of slots, and panels, that reach half of these shares
  double broken_lines, large_exchange;       ///< factors of rows that are not whole cache lines; of clusters of 16 blocks
  double most_of_small, most_of_pair;  ///< the shares of the largest panel for which 8 blocks, or two blocks on an SM, suffice
};

/// Shares of a copy's speed with which boxes with long parts are moved.
struct boxes_rates {
  cluster_shares aligned, unaligned;
  double half_aligned;                      ///< parts of this number of bytes reach half of these shares
  double half_unaligned, half_per_element;  ///< the same; the second is divided by an element's bytes and added
  double remainder;                         ///< factor of the time of both passes if chunks leave some indices
};

/// What `convert` needs in addition to the rates of `tiled`, which are of copies.
struct convert_rates {
  double written;                           ///< time of a written byte, if read and written bytes have a mean time of 1
  double wide;                              ///< factor of the bytes of tiles with elements of 8 bytes and more
  double third_access;                      ///< factor of the sectors if the destination is read, too
  double typed, to_8_bit_float, selecting;  ///< warp instructions for 32 elements; if rounded to 8 bits; if types are selected
};

/// Warp instructions of `quantize` for 32 elements, at the rates of `tiled` for 2 bytes.
struct quantize_rates {
  double pairs, floats;            ///< to change elements of 2 bytes, and of other sizes
  double amax_pairs, amax_floats;  ///< to find the largest magnitude of such elements, in a launch of its own
  double rows, columns;            ///< to store each output
  double scales;                   ///< to find the scales of each output whose rows have scales of their own
};

/// The constants for `predict`, which estimates the speed of a rung from its recorded accesses.
struct prediction_rates {
  kernel_rates resources;                                       ///< a copy's, for bytes of DRAM
  double copy_start_seconds;                                    ///< time of a copy that does not depend on its size
  double load_seconds, shared_memory_seconds, tma_box_seconds;  ///< latency of one dependent access
  double source_order_factor;   ///< by how much DRAM takes longer if consecutive blocks follow the source's rows
  double stored_sector;         ///< time of the L2 cache for a sector that is stored, divided by one that is loaded
  double far_sectors;           ///< traffic of the L2 cache, in sectors, for a sector that a distant block completes
  double swizzled_request;      ///< the address arithmetic of a swizzled request, in requests
  double warp_instructions;     ///< instructions of a warp besides its requests
  double request_instructions;  ///< instructions of a request and of its address
  double own_registers;         ///< registers of a thread besides the loaded elements
};

/// The constants of a GPU from which launches are estimated.
struct gpu_model {
  std::string name;        ///< as it stands in a sentence: "an H200"
  bool is_scaled = false;  ///< true if the rates are an H200's, scaled by the attributes of both GPUs
  gpu_attributes limits;

  // The GPU.
  double clock_hz;            ///< clock of the SMs while a kernel runs
  double cached_bytes;        ///< source and destination up to this total size stay in the L2 cache
  double few_tiles_bytes;     ///< arrays of fewer bytes leave SMs idle unless their tiles are small
  double split_row_seconds;   ///< added for each destination row whose first and last sectors are partly written
  double halved_row_share;    ///< share of `split_row_seconds` if another row writes the other half of the sector
  double dram_access_bytes;   ///< the unit in which DRAM is read
  double write_window_bytes;  ///< the L2 cache joins accesses to parts of a line within this many bytes
  double stored_line_share;   ///< time of the L1 cache for a line that is stored, divided by one that is loaded

  // The kernels.
  kernel_rates copies;  ///< of kernels that only memory limits; their `launch_work::share` is the share of a copy's speed
  rung_rates rungs;
  small_rates small;
  flat_rates flat;
  kernel_rates direct;                ///< a wavefront is one cache line that a request loads
  std::array<kernel_rates, 5> tiled;  ///< for elements of 1, 2, 4, 8 and 16 bytes
  double tiled_margin;                ///< `kernel_rates::margin` of `tiled`
  interleave_rates interleave;
  std::array<kernel_rates, 2> unaligned;  ///< for elements of 1 and 2 bytes
  std::array<kernel_rates, 5> gather;     ///< for elements of 1, 2, 4, 8 and 16 bytes
  convert_rates convert;
  quantize_rates quantize;
  swap_rates swap;
  panels_rates panels;
  boxes_rates boxes;
  prediction_rates predictions;

  /// Calls visit(rates) with the rates of each family, which `model_for` scales.
  template <class Visit>
  void for_each_rates(Visit const& visit) {
    for (auto* const each : {&copies, &direct, &interleave.unaligned}) visit(*each);
    for (auto& each : tiled) visit(each);
    for (auto& each : unaligned) visit(each);
    for (auto& each : gather) visit(each);
  }

  /// The rates in an array of these for elements of `bytes` bytes.
  template <class Rates, std::size_t n>
  static Rates const& of_size(std::array<Rates, n> const& all, std::int64_t bytes) {
    return all.at(std::size_t(std::countr_zero(std::uint64_t(bytes))));
  }
};

/// The model of an H200, to which the constants were fitted.
gpu_model const& h200_model();

/// The GPUs that have a model of their own, one in each file of src/machine/gpus, in the order of the names of the files.
std::vector<gpu_model> const& known_gpus();

/// The model of plans if no GPU can be used: an H200's, with a name that says that there is no GPU.
gpu_model const& model_without_gpu();

/// The model of a GPU with these attributes. A known GPU is recognised by its name alone, because its clock may be set lower.
/// Other GPUs get the H200's model, scaled. A card with another name and an H200's attributes is scaled by 1, so that its
/// estimates are an H200's and only `is_scaled` differs.
gpu_model model_for(gpu_attributes const& card);

}  // namespace cornerturn
