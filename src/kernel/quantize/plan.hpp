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

/// A launch of one of the programs. Its source is the `quantize_call` that has the addresses of the arrays, and its destination
/// is `line_amax`, if it uses that.
struct quantize_plan {
  static constexpr std::string_view family = "quantize";
  static constexpr int version = 1;

  quantize_layout layout;
  quantize_form form = quantize_form::tiles;
  bool reads_vectors = false, writes_rows = false, writes_columns = false;  ///< as in `quantize_job`
  int row_threads = kWarp;                                                  ///< as in `quantize_job`

  std::int64_t blocks() const;  ///< the blocks of the launch
  bool uses_line_amax() const { return layout.blocks == scale_blocks::rows && form != quantize_form::rows; }
  quantize_job job(quantize_call const& call = {}, void* line_amax = nullptr) const;  ///< the kernel's parameter

  auto parameters() const { return std::tuple(int(form), row_threads, reads_vectors, writes_rows, writes_columns); }

  static plan_decisions<quantize_plan> decisions();
};

/// The ways to quantise a matrix that has elements, at least one. Each is the launches that run one after another, the last of
/// which fills the outputs. With `scale_blocks::rows` the first of two launches finds the largest magnitudes of rows and columns;
/// if rows are the only output and threads can keep them, one launch is another way. Throws `error` for more than 2^31 - 1 tiles.
std::vector<std::vector<quantize_plan>> plan_quantize(quantize_layout const& layout);

/// The scales in words, such as "scales of 1x128".
std::string_view name_of(scale_blocks blocks);

std::string_view idea_of(quantize_plan const& plan);
std::string describe(quantize_plan const& plan);

/// The work of one launch, and a GPU's rates for it. `expected_seconds` has the time.
launch_work work_of(quantize_plan const& plan, gpu_model const& gpu);
kernel_rates rates_of(quantize_plan const& plan, gpu_model const& gpu);

/// Groups the blocks by their accesses to arrays that begin with a cache line. Throws `error` for a launch of more than 2^26
/// blocks, because every block is computed.
std::vector<block_class> classes_of(quantize_plan const& plan, array_addresses const& at);

}  // namespace cornerturn
