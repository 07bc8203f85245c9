#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "plan/step.hpp"

namespace cornerturn::gpu {

/// Why no GPU can be used (no GPU engine in the build, no driver, an old driver, no device); empty if one can be used.
std::string why_unavailable();

/// Runs the steps of a plan in their order. Kernels and transfers are enqueued on `stream` (a cudaStream_t; null: the default
/// stream). A step of the CPU runs at once on the caller's thread; if it reads staging, it first waits for the stream. Throws
/// `error` if a launch fails.
void run(std::span<step const> steps, plan_memory const& memory, void* stream);

/// Memory of the current device that is allocated and freed in the order of a stream (a cudaStream_t; null: the default stream),
/// so that the host waits for neither. Throws `error` of kind memory if there is not enough.
class stream_memory {
 public:
  stream_memory(std::int64_t bytes, void* stream);
  ~stream_memory();
  stream_memory(stream_memory const&) = delete;
  void* get() const { return memory_; }

 private:
  void* memory_ = nullptr;
  void* stream_;
};

}  // namespace cornerturn::gpu
