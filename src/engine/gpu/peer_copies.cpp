#include "engine/gpu/peer_copies.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/fork_safe_mutex.hpp"
#include "base/fork_safe_static.hpp"
#include "cornerturn/error.hpp"
#include "cuda/check.hpp"
#include "cuda/handles.hpp"
#include "engine/gpu/devices.hpp"

namespace cornerturn::gpu {
namespace {

/// Two buffers are copied at a time, so that the link is busy when one copy ends, while the third one is filled.
constexpr std::size_t kBuffers = 3, kCopyStreams = 2;

/// Lets this thread allocate memory while another one captures a graph.
class relaxed_capture {
 public:
  relaxed_capture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~relaxed_capture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  relaxed_capture(relaxed_capture const&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace

struct peer_copies::buffers {
  struct buffer {
    event_handle filled = make_event(cudaEventDisableTiming), copied = make_event(cudaEventDisableTiming);
  };

  int device;
  device_memory memory = allocate_device(kBuffers * std::size_t(kPeerBufferBytes));
  std::array<buffer, kBuffers> all{};
  std::array<stream_handle, kCopyStreams> streams{make_stream(), make_stream()};
  event_handle joined = make_event(cudaEventDisableTiming);  // the next user's stream waits for it
  std::atomic<bool> is_used = true;

  explicit buffers(int given) : device(given) {}

  void* at(std::size_t i) const { return static_cast<std::byte*>(memory.get()) + std::int64_t(i) * kPeerBufferBytes; }

  struct of_devices {
    fork_safe_mutex mutex;
    std::vector<std::unique_ptr<buffers>> all;
  };

  /// Returns the buffers of the current device; null if they are used.
  static buffers* take(int device) {
    static constinit fork_safe_static<of_devices> made;
    auto& known = made.get([] { return of_devices{}; });
    std::lock_guard const lock(known.mutex);
    auto const found = std::ranges::find(known.all, device, &buffers::device);
    if (found != known.all.end()) return (*found)->is_used.exchange(true) ? nullptr : found->get();
    relaxed_capture const relaxed;
    known.all.push_back(std::make_unique<buffers>(device));
    return known.all.back().get();
  }
};

std::optional<peer_copies> peer_copies::begin(device_stream kernels) try {
  on_device const current(kernels.device);
  auto* const taken = buffers::take(kernels.device);
  if (!taken) return {};
  peer_copies result(taken, kernels.stream);
  wait_for(taken->joined, static_cast<cudaStream_t>(kernels.stream));
  return result;
} catch (error const& failed) {
  if (failed.kind() == error_kind::memory) return {};
  throw;
}

peer_copies::peer_copies(buffers* free, void* kernels) : buffers_(free), kernels_(kernels) {}
peer_copies::peer_copies(peer_copies&& other) noexcept
    : buffers_(std::exchange(other.buffers_, nullptr)),
      kernels_(other.kernels_),
      started_(other.started_),
      is_joined_(other.is_joined_) {}

peer_copies::~peer_copies() {
  if (buffers_ && is_joined_) buffers_->is_used = false;
}

void* peer_copies::next_buffer() {
  on_device const current(buffers_->device);
  is_joined_ = false;
  auto const i = started_ % kBuffers;
  if (started_ >= kBuffers) wait_for(buffers_->all[i].copied, static_cast<cudaStream_t>(kernels_));
  return buffers_->at(i);
}

void peer_copies::start(void* destination, std::int64_t row_bytes, std::int64_t pitch, std::int64_t rows) {
  on_device const current(buffers_->device);
  auto const i = started_ % kBuffers;
  auto const& [filled, copied] = buffers_->all[i];
  auto* const stream = buffers_->streams[started_ % kCopyStreams].get();
  record_event(filled, static_cast<cudaStream_t>(kernels_));
  wait_for(filled, stream);
  check(cudaMemcpy2DAsync(destination, std::size_t(pitch), buffers_->at(i), std::size_t(row_bytes), std::size_t(row_bytes),
                          std::size_t(rows), cudaMemcpyDefault, stream),
        "cudaMemcpy2DAsync");
  record_event(copied, stream);
  ++started_;
}

void peer_copies::join() {
  on_device const current(buffers_->device);
  auto* const kernels = static_cast<cudaStream_t>(kernels_);
  for (std::size_t back = 1; back <= std::min(kBuffers, started_); ++back)
    wait_for(buffers_->all[(started_ - back) % kBuffers].copied, kernels);
  record_event(buffers_->joined, kernels);
  is_joined_ = true;
}

}  // namespace cornerturn::gpu
