#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <string>
#include <vector>

namespace cornerturn {

/// Enqueues one launch of a row's work on a stream.
using enqueue = std::function<void(cudaStream_t)>;

/// The result of `time_interleaved`.
struct timings {
  std::string method;                   ///< "graph" or "stream", the same for all rows
  std::vector<std::vector<double>> ms;  ///< ms[row][round]: the time of one launch in milliseconds
};

/// Times all rows on the current device, interleaved: in each of `rounds` rounds every row runs once. Launch latency stays
/// outside the intervals: the stream is kept busy until the start event, the work and the end event are all enqueued. If a
/// launch of row 0, the ceiling, takes less than a millisecond, every row is timed as a CUDA graph of several launches.
timings time_interleaved(std::vector<enqueue> const& rows, int rounds, std::function<void(int)> const& on_round = {});

}  // namespace cornerturn
