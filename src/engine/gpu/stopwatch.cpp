#include "engine/gpu/stopwatch.hpp"

#include <algorithm>
#include <memory>
#include <utility>

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
  byte_range range;
  std::int64_t units;  ///< 16-byte units in the memory
  device_memory memory;
  std::byte* first;

  side_buffer(byte_range const& of, int aligned) : range(of) {
    constexpr std::int64_t kAllocated = 256;  // alignment of cudaMalloc in bytes
    auto const before = (-range.low + kAllocated - 1) / kAllocated * kAllocated + aligned % kUnitBytes;
    units = (before + std::max<std::int64_t>(range.high, 0) + kUnitBytes - 1) / kUnitBytes;
    memory = allocate_device(std::size_t(units * kUnitBytes));
    first = static_cast<std::byte*>(memory.get()) + before;
  }

  /// Fills the memory with a pattern. Fresh memory may be all zeros, which take less power, and so less time, to move.
  void fill(cudaStream_t stream) const { fill_pattern(memory.get(), units, kUnitBytes, stream); }

  /// Copies the bytes of the range from or to an array of the host, and waits for the stream.
  void take(std::byte const* from, cudaStream_t stream) const {
    copy(first + range.low, from + range.low, cudaMemcpyHostToDevice, stream);
  }
  void give(std::byte* to, cudaStream_t stream) const { copy(to + range.low, first + range.low, cudaMemcpyDeviceToHost, stream); }

 private:
  void copy(void* to, void const* from, cudaMemcpyKind kind, cudaStream_t stream) const {
    check(cudaMemcpyAsync(to, from, std::size_t(range.high - range.low), kind, stream), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }
};

class device_arrays {
 public:
  device_arrays(int device, byte_range const& read, byte_range const& written, alignment const& aligned)
      : device_(device), source_(read, aligned.source), destination_(written, aligned.destination) {
    source_.fill(stream_.get());
    placed_ = [this](void* source) { return plan_memory{.source = source, .destination = destination_.first}; };
  }
  device_arrays(int device, std::int64_t bytes, std::function<plan_memory(void*)> placed)
      : device_(device), source_({0, bytes}, kUnitBytes), destination_({}, kUnitBytes), placed_(std::move(placed)) {
    source_.fill(stream_.get());
  }
  device_arrays(device_arrays const&) = delete;

  double seconds(candidate const& each) {
    on_device const current(device_);
    make_workspace(each);
    double const once = interval([&] { launch(each); });
    int const launches = int(std::clamp(kInterval / std::max(once, 1e-7), 1.0, double(kMostLaunches)));
    if (launches == 1) return once;
    auto const graph = capture_graph(stream_.get(), launches, [&] { launch(each); });
    return interval([&] { check(cudaGraphLaunch(graph.get(), stream_.get()), "cudaGraphLaunch"); }) / launches;
  }

  void move(candidate const& each, std::byte const* source, std::byte* result) {
    on_device const current(device_);
    make_workspace(each);
    source_.take(source, stream_.get()), destination_.take(result, stream_.get());
    launch(each);
    destination_.give(result, stream_.get());
  }

 private:
  void make_workspace(candidate const& each) {
    if (each.workspace_bytes <= workspace_bytes_) return;
    workspace_ = allocate_device(std::size_t(each.workspace_bytes));
    workspace_bytes_ = each.workspace_bytes;
  }

  void launch(candidate const& each) const {
    auto memory = placed_(source_.first);
    memory.workspace = workspace_.get();
    gpu::run(each.steps, memory, stream_.get());
  }

  template <class Start>
  double interval(Start const& start) const {
    return 1e-3 * timer_.milliseconds_of(stream_.get(), start);
  }

  int device_;
  side_buffer source_, destination_;
  std::function<plan_memory(void*)> placed_;  ///< makes the memory of steps, but for the workspace, of the source
  device_memory workspace_;                   ///< as large as any candidate has needed so far
  std::int64_t workspace_bytes_ = 0;
  stream_handle stream_ = make_stream();
  stream_timer timer_;
};

template <class... Buffers>
std::shared_ptr<device_arrays> arrays_on(int device, Buffers const&... buffers) {
  on_device const current(device);
  return std::make_shared<device_arrays>(device, buffers...);
}

}  // namespace

stopwatch make_stopwatch(int device, byte_range const& read, byte_range const& written, alignment const& aligned) {
  return [arrays = arrays_on(device, read, written, aligned)](candidate const& each) { return arrays->seconds(each); };
}

stopwatch make_stopwatch(int device, std::int64_t bytes, std::function<plan_memory(void*)> const& placed) {
  return [arrays = arrays_on(device, bytes, placed)](candidate const& each) { return arrays->seconds(each); };
}

run_in_host_memory make_run_in_host_memory(int device, byte_range const& read, byte_range const& written,
                                           alignment const& aligned) {
  return [arrays = arrays_on(device, read, written, aligned)](candidate const& each, std::byte const* source, std::byte* result) {
    arrays->move(each, source, result);
  };
}

}  // namespace cornerturn::gpu
