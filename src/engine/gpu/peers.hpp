#pragma once

#include <span>
#include <string_view>

namespace cornerturn::gpu {

/// Lets a GPU access the memory of another one, `owner`, to which a pointer leads. Throws `error` if it cannot; `name` is that of
/// the pointer in messages.
void expect_peer_access(int device, int owner, void const* memory, std::string_view name);

/// A stream (a cudaStream_t; null: the default one) and the GPU that it belongs to.
struct device_stream {
  int device;
  void* stream;
  bool operator==(device_stream const&) const = default;
};

/// Makes later work on each stream wait for all work that is enqueued on any of them. Each stream occurs once.
void join(std::span<device_stream const> streams);

}  // namespace cornerturn::gpu
