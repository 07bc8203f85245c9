#pragma once

#include <cstdint>
#include <optional>

#include "engine/gpu/peers.hpp"

namespace cornerturn::gpu {

/// Bytes of a buffer. With a quarter of this size the copy engines of two H100 took a tenth longer.
inline constexpr std::int64_t kPeerBufferBytes = 64 << 20;

/// Fills the memory of peers from three buffers of a GPU by its copy engines, which run beside the kernels of a stream. Each GPU
/// has one set of buffers. It is allocated for the first object and stays allocated, because CUDA takes longer to allocate it
/// than to fill it.
class peer_copies {
 public:
  /// Empty if another object uses the buffers of this GPU, or if there is no memory for them.
  static std::optional<peer_copies> begin(device_stream kernels);

  peer_copies(peer_copies&& other) noexcept;
  /// The buffers are used again only if `join` was called.
  ~peer_copies();

  /// The next buffer. Later work on the stream waits until an earlier copy from it is complete.
  void* next_buffer();

  /// Copies rows that are dense in the buffer, after the earlier work on the stream. `pitch` is the destination's, in bytes.
  void start(void* destination, std::int64_t row_bytes, std::int64_t pitch, std::int64_t rows);

  /// Makes later work on the stream wait for all copies.
  void join();

 private:
  struct buffers;
  peer_copies(buffers* free, void* kernels);

  buffers* buffers_;  ///< null after a move
  void* kernels_;     ///< a cudaStream_t
  std::size_t started_ = 0;
  bool is_joined_ = true;
};

}  // namespace cornerturn::gpu
