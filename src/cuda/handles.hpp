#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <type_traits>

#include "cuda/check.hpp"

namespace cornerturn {

/// Owning CUDA handles, released when they go out of scope.
template <class Handle, auto Destroy>
struct destroy_handle {
  using pointer = Handle;
  void operator()(Handle handle) const { Destroy(handle); }
};
using stream_handle = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, destroy_handle<cudaStream_t, cudaStreamDestroy>>;
using event_handle = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, destroy_handle<cudaEvent_t, cudaEventDestroy>>;
using graph_handle = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, destroy_handle<cudaGraph_t, cudaGraphDestroy>>;
using graph_exec_handle =
    std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, destroy_handle<cudaGraphExec_t, cudaGraphExecDestroy>>;
using device_memory = std::unique_ptr<void, destroy_handle<void*, cudaFree>>;
using pinned_memory =
    std::unique_ptr<void, destroy_handle<void*, cudaFreeHost>>;  ///< pinned host memory, for asynchronous copies

inline stream_handle make_stream() {
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return stream_handle(stream);
}

/// A stream of the highest priority. The blocks of its kernels start before blocks of other streams' kernels that have not
/// started.
inline stream_handle make_urgent_stream() {
  int lowest, highest;
  check(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "cudaDeviceGetStreamPriorityRange");
  cudaStream_t stream;
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, highest), "cudaStreamCreateWithPriority");
  return stream_handle(stream);
}

inline event_handle make_event(unsigned flags = cudaEventDefault) {
  cudaEvent_t event;
  check(cudaEventCreateWithFlags(&event, flags), "cudaEventCreateWithFlags");
  return event_handle(event);
}

/// Records an event, which occurs when all work that is on the stream now has ended.
inline void record_event(event_handle const& event, cudaStream_t stream) {
  check(cudaEventRecord(event.get(), stream), "cudaEventRecord");
}

/// A new event without a time, recorded on a stream.
inline event_handle recorded_event(cudaStream_t stream) {
  auto event = make_event(cudaEventDisableTiming);
  record_event(event, stream);
  return event;
}

/// Makes later work on a stream wait for an event.
inline void wait_for(event_handle const& event, cudaStream_t stream) {
  check(cudaStreamWaitEvent(stream, event.get(), 0), "cudaStreamWaitEvent");
}

inline device_memory allocate_device(std::size_t bytes) {
  void* memory;
  check(cudaMalloc(&memory, bytes), "cudaMalloc");
  return device_memory(memory);
}

inline pinned_memory allocate_pinned(std::size_t bytes) {
  void* memory;
  check(cudaMallocHost(&memory, bytes), "cudaMallocHost");
  return pinned_memory(memory);
}

}  // namespace cornerturn
