#include "engine/gpu/peer_copies.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "cuda/check.hpp"
#include "cuda/handles.hpp"
#include "engine/gpu/devices.hpp"
#include "kernel/round.hpp"
#include "problem/fork_safe_mutex.hpp"
#include "problem/fork_safe_static.hpp"

namespace cornerturn::gpu {
namespace {

/// While two buffers are copied, so that the link is busy when one copy ends, the third one is filled.
constexpr std::size_t kBuffers = 3, kStreams = 2;

constexpr std::int64_t kRounding = 1 << 20;  // so that later plans can use the buffers of a similar one

void wait(cudaStream_t stream, event_handle const& event) {
  check(cudaStreamWaitEvent(stream, event.get(), 0), "cudaStreamWaitEvent");
}

}  // namespace

struct peer_copies::state {
  struct buffer {
    event_handle filled = make_event(cudaEventDisableTiming), copied = make_event(cudaEventDisableTiming);
  };

  int device;
  std::int64_t buffer_bytes;
  device_memory memory = allocate_device(kBuffers * std::size_t(buffer_bytes));
  std::array<buffer, kBuffers> buffers{};
  std::array<stream_handle, kStreams> streams{make_stream(), make_stream()};
  event_handle joined = make_event(cudaEventDisableTiming);  // what another user of the buffers waits for
  cudaStream_t kernels = nullptr;
  std::size_t begun = 0;
  bool is_joined = true;

  struct idle_list {
    fork_safe_mutex mutex;
    std::vector<std::unique_ptr<state>> all;
  };

  static idle_list& idle() {
    static constinit fork_safe_static<idle_list> list;
    return list.get([] { return idle_list{}; });
  }

  /// One that has been used before, if its buffers are large enough.
  static std::unique_ptr<state> take(int device, std::int64_t bytes) {
    std::lock_guard const lock(idle().mutex);
    auto& all = idle().all;
    auto const found =
        std::ranges::find_if(all, [&](auto const& each) { return each->device == device && each->buffer_bytes >= bytes; });
    if (found == all.end()) return nullptr;
    auto result = std::move(*found);
    all.erase(found);
    return result;
  }

  void* at(std::size_t buffer) const { return static_cast<std::byte*>(memory.get()) + std::int64_t(buffer) * buffer_bytes; }
};

peer_copies::peer_copies(device_stream kernels, std::int64_t buffer_bytes) {
  on_device const current(kernels.device);
  state_ = state::take(kernels.device, buffer_bytes);
  if (!state_) state_.reset(new state{.device = kernels.device, .buffer_bytes = round_up(buffer_bytes, kRounding)});
  state_->kernels = static_cast<cudaStream_t>(kernels.stream);
  state_->begun = 0;
  wait(state_->kernels, state_->joined);
}

peer_copies::peer_copies(peer_copies&&) noexcept = default;

peer_copies::~peer_copies() {
  if (!state_) return;
  on_device const current(state_->device);
  if (!state_->is_joined)
    for (auto const& each : state_->streams) cudaStreamSynchronize(each.get());
  std::lock_guard const lock(state::idle().mutex);
  state::idle().all.push_back(std::move(state_));
}

void* peer_copies::next_buffer() {
  on_device const current(state_->device);
  auto const i = state_->begun % kBuffers;
  if (state_->begun >= kBuffers) wait(state_->kernels, state_->buffers[i].copied);
  return state_->at(i);
}

void peer_copies::start(void* destination, std::int64_t row_bytes, std::int64_t pitch, std::int64_t rows) {
  on_device const current(state_->device);
  auto const i = state_->begun % kBuffers;
  auto const& [filled, copied] = state_->buffers[i];
  auto* const stream = state_->streams[state_->begun % kStreams].get();
  check(cudaEventRecord(filled.get(), state_->kernels), "cudaEventRecord");
  wait(stream, filled);
  state_->is_joined = false;
  check(cudaMemcpy2DAsync(destination, std::size_t(pitch), state_->at(i), std::size_t(row_bytes), std::size_t(row_bytes),
                          std::size_t(rows), cudaMemcpyDefault, stream),
        "cudaMemcpy2DAsync");
  check(cudaEventRecord(copied.get(), stream), "cudaEventRecord");
  ++state_->begun;
}

void peer_copies::join() {
  on_device const current(state_->device);
  for (std::size_t back = 1; back <= std::min(kBuffers, state_->begun); ++back)
    wait(state_->kernels, state_->buffers[(state_->begun - back) % kBuffers].copied);
  check(cudaEventRecord(state_->joined.get(), state_->kernels), "cudaEventRecord");
  state_->is_joined = true;
}

}  // namespace cornerturn::gpu
