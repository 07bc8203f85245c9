#pragma once

#include "cornerturn/cxx20.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cornerturn/export.h"
#include "cornerturn/processor.hpp"

namespace cornerturn {

/// The names of the ladder's rungs, in order: of the GPU's ladder or, for `processor_kind::cpu`, of the CPU's.
CORNERTURN_API std::vector<std::string> rung_names(processor_kind of = processor_kind::gpu);

/// The names of the element types: "u8", "f32", …
CORNERTURN_API std::vector<std::string> type_names();

/// The size in bytes of an element of a type from `type_names`. Throws `error` for any other name.
CORNERTURN_API int type_size(std::string_view type);

/// Options of `run_ladder`.
struct ladder_options {
  std::int64_t rows = 16384, cols = 16384;
  std::string type = "f32";          ///< a name from `type_names`
  std::vector<std::string> kernels = {};  ///< names of the rungs to run; empty: all
  /// Tiles to sweep, as "64x64" (source rows x columns) or "all". Each rung runs with the listed tiles that it has, and with
  /// every number of threads. Empty: each rung runs with its default tile.
  std::vector<std::string> tiles = {};
  int repeats = 21;  ///< number of timed rounds; every row runs once per round
  /// The processor whose ladder runs. `automatic` is the GPU's ladder; without a GPU the host executor verifies its rungs,
  /// untimed. The CPU's ladder has other rungs and no tiles to sweep.
  processor_kind processor = processor_kind::automatic;
};

/// One row of a run: a rung or a reference. The references are `memcpy` and `cublas-geam`; on the CPU `memcpy` and `nt-copy`, a
/// copy with non-temporal stores.
struct ladder_row {
  enum class outcome { verified, wrong, not_available };

  std::string name;
  outcome result = outcome::not_available;
  std::string reason;                             ///< why the row is not available or wrong
  std::string tile;                               ///< source rows x columns of a tile, e.g. "64x64"; empty for the references
  int threads = 0;                                ///< threads per block; on the CPU, threads of the rung
  int tiles = 1;                                  ///< tiles that one block moves in sequence
  int load_bytes = 0;                             ///< bytes of one global load per thread; 0 for TMA and on the CPU
  int store_bytes = 0;                            ///< bytes of one global store per thread; 0 for TMA and on the CPU
  bool best = false;                              ///< in a sweep: true for the fastest tile of its rung
  double mean_ms = 0, median_ms = 0, iqr_ms = 0;  ///< milliseconds of one launch over the rounds; iqr: interquartile range
  double gbs = 0;                                 ///< GB/s (1e9 bytes), bytes read plus bytes written
  double ratio = 0;                               ///< speed as a ratio to memcpy on the same buffers in the same run
  double nt_ratio = 0;                            ///< on the CPU: speed as a ratio to nt-copy on the same buffers in the same run
  double peak = 0;                                ///< speed as a fraction of the GPU's theoretical bandwidth; 0 on the CPU
};

/// One run of the ladder. If the GPU's ladder runs without a GPU, `device` is empty and the rows are verified but not timed.
struct ladder_run {
  std::string device;
  std::int64_t rows = 0, cols = 0;  ///< the matrix that was moved; the host executor uses a small one, then a slightly larger one
  std::string type;
  /// "graph" (each row is a CUDA graph of several launches), "stream" (single launches on a busy stream) or "clock" (the CPU)
  std::string timing;
  double memcpy_gbs = 0, peak_gbs = 0;  ///< GB/s: memcpy, read plus written; the theoretical memory bandwidth, 0 on the CPU
  std::vector<ladder_row> rungs;

  CORNERTURN_API bool all_right() const;  ///< true if no row is wrong
};

/// Verifies every rung, then times all rungs on the same two buffers, interleaved with each other and with the references:
/// cudaMemcpy and cuBLAS geam; on the CPU, two copies with the last rung's number of threads.
///
/// `progress`, if set, receives a line about the current step. Throws `error` for invalid options and failed CUDA calls.
///
/// ```cpp
/// auto const run = cornerturn::run_ladder({.rows = 500, .cols = 700, .repeats = 1, .processor = cornerturn::processor_kind::cpu});
/// for (auto const& rung : run.rungs) std::cout << rung.name << ": " << rung.ratio << " of a copy\n";
/// ```
CORNERTURN_API ladder_run run_ladder(ladder_options const& options, std::function<void(std::string_view)> const& progress = {});

}  // namespace cornerturn
