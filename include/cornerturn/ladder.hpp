#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cornerturn/export.h"
#include "cornerturn/processor.hpp"

namespace cornerturn {

/// The names of the ladder's rungs, in the ladder's order: the GPU's, or for `processor_kind::cpu` the CPU's.
CORNERTURN_API std::vector<std::string> rung_names(processor_kind of = processor_kind::gpu);

/// The element type names that the ladder takes ("f32", "u8", …).
CORNERTURN_API std::vector<std::string> type_names();

/// Bytes of one element of a type named as in `type_names`. Throws `error` for any other name.
CORNERTURN_API int type_size(std::string_view type);

struct ladder_options {
  std::int64_t rows = 16384, cols = 16384;
  std::string type = "f32";
  std::vector<std::string> kernels;  ///< rungs by name; none: all of them
  /// Tiles as "64x64" (rows x columns of the source), or "all": each rung is swept over those of its tiles that are among them,
  /// in every number of threads. None: each rung has its own best.
  std::vector<std::string> tiles;
  int repeats = 21;  ///< timed rounds; in each, every row runs once
  /// The processor whose ladder runs. `automatic` is the GPU's, on the host executor where there is no GPU: verified and not
  /// timed. The CPU's has other rungs, and no tiles to sweep.
  processor_kind processor = processor_kind::automatic;
};

/// One row of a run: a rung, or one of the two references: `memcpy` and `cublas-geam`, on the CPU `memcpy` and `nt-copy`, a copy
/// with non-temporal stores.
struct ladder_row {
  enum class outcome { verified, wrong, not_available };

  std::string name;
  outcome result = outcome::not_available;
  std::string reason;   ///< why it is not available, or what was wrong
  std::string tile;     ///< rows x columns of the source that are moved together, e.g. "64x64"; empty for the references
  int threads = 0;      ///< threads a block; on the CPU all of them
  int tiles = 1;        ///< that a block moves one after another
  int load_bytes = 0;   ///< bytes of one global load, and
  int store_bytes = 0;  ///< of one global store; 0 where TMA moves boxes, and on the CPU
  bool best = false;    ///< in a sweep: the fastest of its rung's tiles
  double mean_ms = 0, median_ms = 0, iqr_ms = 0;
  double gbs = 0;       ///< GB/s (1e9), bytes read plus bytes written
  double ratio = 0;     ///< to memcpy on the same buffers in the same run
  double nt_ratio = 0;  ///< on the CPU: to nt-copy, likewise
  double peak = 0;      ///< of the card's theoretical bandwidth; 0 on the CPU
};

/// One run of the ladder. Where there is no GPU for the GPU's, `device` is empty and the rows are verified on the host but not
/// timed.
struct ladder_run {
  std::string device;
  std::int64_t rows = 0,
               cols = 0;  ///< of the matrix that was moved (on the host a small one, and then a ragged one a little larger)
  std::string type;
  /// "graph" (every row as a CUDA graph of several launches), "stream" (single launches on a busy stream) or "clock" (on the CPU)
  std::string timing;
  double memcpy_gbs = 0, peak_gbs = 0;
  std::vector<ladder_row> rungs;

  CORNERTURN_API bool all_right() const;  ///< no row is wrong
};

/// Verifies every rung, then times all of them on the same two buffers, interleaved, beside cudaMemcpy and cuBLAS geam; on the
/// CPU beside two copies on as many threads as its last rung has.
///
/// `progress`, where given, is told what is being done. Throws `error` for bad options and failing CUDA calls.
CORNERTURN_API ladder_run run_ladder(ladder_options const& options, std::function<void(std::string_view)> const& progress = {});

}  // namespace cornerturn
