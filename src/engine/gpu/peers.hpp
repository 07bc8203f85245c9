#pragma once

#include <span>
#include <string_view>

namespace cornerturn::gpu {

/// Lets the GPU `device` access the memory of the GPU `owner` at a pointer. Throws `error` if it cannot; `name` is the pointer's
/// name in messages.
void expect_peer_access(int device, int owner, void const* memory, std::string_view name);

/// A stream (a cudaStream_t; null: the default stream) and its GPU.
struct device_stream {
  int device;
  void* stream;
  bool operator==(device_stream const&) const = default;
};

/// Makes later work on each stream wait for all work that is enqueued on any of them. Each stream occurs once.
void join(std::span<device_stream const> streams);

}  // namespace cornerturn::gpu
