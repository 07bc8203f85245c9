#pragma once

#include "block/sizes.hpp"
#include "kernel/family_plan.hpp"
#include "kernel/quantize/job.hpp"

namespace cornerturn {

/// A matrix to quantise, as the kernel's parameter. A vector has 16 bytes.
struct quantize_job : quantization {
  bool reads_vectors = false;  ///< rows of the source are whole aligned vectors
  /// True if rows of the output begin at aligned vectors. In the output along rows, a vector is the result of one vector of the
  /// source; in the other it has 16 bytes.
  bool writes_rows = false, writes_columns = false;
  int row_threads = kWarp;  ///< threads of a row in `quantize_rows`
};

/// What a launch does: it fills the outputs tile by tile; it fills `line_amax` instead; or it fills rows with a scale each.
enum class quantize_form { tiles, amax, rows };

/// A launch of one of the programs, with the addresses of the outputs.
struct quantize_plan {
  static constexpr std::string_view family = "quantize";

  quantize_job job;
  quantize_form form = quantize_form::tiles;

  std::int64_t blocks() const;  ///< the blocks of the launch
};

/// Plans the launches for a matrix, which run one after another. The last one fills the outputs. With `scale_blocks::rows` the
/// first of two launches finds the largest magnitudes of rows and columns, unless rows are the only output and threads can keep
/// them. `source` is the address of the first element. Throws `error` for more than 2^31 - 1 tiles.
std::vector<quantize_plan> plan_quantize(quantization const& given, void const* source);

std::string_view idea_of(quantize_plan const& plan);
std::string describe(quantize_plan const& plan);

/// The work of one launch, and a GPU's rates for it. `expected_seconds` has the time.
launch_work work_of(quantize_plan const& plan, gpu_model const& gpu);
kernel_rates rates_of(quantize_plan const& plan, gpu_model const& gpu);

/// Groups the blocks by their accesses to arrays that begin with a cache line. Throws `error` for a launch of more than 2^26
/// blocks, because every block is computed.
std::vector<block_class> classes_of(quantize_plan const& plan, array_addresses const& at);

}  // namespace cornerturn
