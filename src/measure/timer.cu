#include <algorithm>
#include <cmath>

#include "cuda/handles.hpp"
#include "cuda/launch.cuh"
#include "measure/statistics.hpp"
#include "measure/stream_timer.hpp"
#include "measure/timer.hpp"

namespace cornerturn {
namespace {

/// Clock cycles that the stream is kept busy, about 0.2 ms: longer than enqueuing two events and a graph takes.
constexpr long long kBusyCycles = 400'000;
constexpr double kGraphBelowMs = 1.0;  // a ceiling below this time is measured in graphs
constexpr int kMostLaunches = 100;     // per graph

__global__ void keep_busy(long long cycles) {
  for (long long const start = clock64(); clock64() - start < cycles;) {
  }
}

/// The work of one timed interval: a launch, or a graph of several launches.
struct interval {
  enqueue start;
  int launches;
};

}  // namespace

timings time_interleaved(std::vector<enqueue> const& rows, int rounds, std::function<void(int)> const& on_round) {
  auto const stream = make_stream();
  stream_timer const timer;
  auto const time_once = [&](interval const& each) {
    launch_kernel(&keep_busy, {1, 1}, stream.get(), kBusyCycles);
    return timer.milliseconds_of(stream.get(), [&] { each.start(stream.get()); }) / each.launches;
  };

  std::vector<interval> intervals;
  for (auto const& row : rows) intervals.push_back({row, 1});
  std::vector<double> ceiling;
  for (int i = 0; i < 5; ++i) ceiling.push_back(time_once(intervals.front()));
  double const ceiling_ms = quantile(ceiling, 0.5);

  timings result{ceiling_ms < kGraphBelowMs ? "graph" : "stream", std::vector<std::vector<double>>(rows.size())};
  std::vector<graph_exec_handle> graphs;
  if (result.method == "graph") {
    int const launches = std::clamp(int(std::ceil(kGraphBelowMs / std::max(ceiling_ms, 1e-6))), 1, kMostLaunches);
    for (auto& each : intervals) {
      auto const graph = graphs.emplace_back(capture_graph(stream.get(), launches, [&] { each.start(stream.get()); })).get();
      each = {[graph](cudaStream_t on) { check(cudaGraphLaunch(graph, on), "cudaGraphLaunch"); }, launches};
    }
  }

  for (auto const& each : intervals) time_once(each);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t row = 0; row < rows.size(); ++row) result.ms[row].push_back(time_once(intervals[row]));
    if (on_round) on_round(round + 1);
  }
  return result;
}

}  // namespace cornerturn
