#include "engine/gpu/stopwatch.hpp"

#include <algorithm>
#include <memory>

#include "block/sizes.hpp"
#include "cuda/handles.hpp"
#include "engine/gpu/devices.hpp"
#include "engine/gpu/gpu.hpp"
#include "engine/gpu/pattern.hpp"
#include "measure/stream_timer.hpp"

namespace cornerturn::gpu {
namespace {

/// Seconds of an interval, long enough that the time of its two events is negligible.
constexpr double kInterval = 0.5e-3;
constexpr int kMostLaunches = 50;

/// The memory of one side. `first` is the address of element (0, …, 0).
struct side_buffer {
  std::int64_t units;  ///< 16-byte units in the memory
  device_memory memory;
  std::byte* first;

  side_buffer(byte_range const& range, int aligned) {
    constexpr std::int64_t kAllocated = 256;  // alignment of cudaMalloc in bytes
    auto const before = (-range.low + kAllocated - 1) / kAllocated * kAllocated + aligned % kUnitBytes;
    units = (before + std::max<std::int64_t>(range.high, 0) + kUnitBytes - 1) / kUnitBytes;
    memory = allocate_device(std::size_t(units * kUnitBytes));
    first = static_cast<std::byte*>(memory.get()) + before;
  }

  /// Fills the memory with a pattern. Fresh memory may be all zeros, which take less power, and so less time, to move.
  void fill(cudaStream_t stream) const { fill_pattern(memory.get(), units, kUnitBytes, stream); }
};

class timed_runs {
 public:
  timed_runs(int device, byte_range const& read, byte_range const& written, alignment const& aligned)
      : device_(device), source_(read, aligned.source), destination_(written, aligned.destination) {
    source_.fill(stream_.get());
  }

  double seconds(candidate const& each) {
    on_device const current(device_);
    if (each.workspace_bytes > workspace_bytes_) {
      workspace_ = allocate_device(std::size_t(each.workspace_bytes));
      workspace_bytes_ = each.workspace_bytes;
    }
    double const once = interval([&] { launch(each); });
    int const launches = int(std::clamp(kInterval / std::max(once, 1e-7), 1.0, double(kMostLaunches)));
    if (launches == 1) return once;
    auto const graph = capture_graph(stream_.get(), launches, [&] { launch(each); });
    return interval([&] { check(cudaGraphLaunch(graph.get(), stream_.get()), "cudaGraphLaunch"); }) / launches;
  }

 private:
  void launch(candidate const& each) const {
    run(each.steps, {.source = source_.first, .destination = destination_.first, .workspace = workspace_.get()}, stream_.get());
  }

  template <class Start>
  double interval(Start const& start) const {
    return 1e-3 * timer_.milliseconds_of(stream_.get(), start);
  }

  int device_;
  side_buffer source_, destination_;
  device_memory workspace_;  ///< as large as any candidate has needed so far
  std::int64_t workspace_bytes_ = 0;
  stream_handle stream_ = make_stream();
  stream_timer timer_;
};

}  // namespace

stopwatch make_stopwatch(int device, byte_range const& read, byte_range const& written, alignment const& aligned) {
  on_device const current(device);
  auto const runs = std::make_shared<timed_runs>(device, read, written, aligned);
  return [runs](candidate const& each) { return runs->seconds(each); };
}

}  // namespace cornerturn::gpu
