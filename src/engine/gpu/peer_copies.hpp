#pragma once

#include <cstdint>
#include <memory>

#include "engine/gpu/peers.hpp"

namespace cornerturn::gpu {

/// Fills the memory of peers from buffers of a GPU by its copy engines, which run beside the kernels of a stream. The buffers
/// stay allocated for the next object of this GPU, because CUDA takes longer to allocate them than to fill them.
class peer_copies {
 public:
  /// Throws `error` of kind memory if the GPU has no room for the buffers.
  peer_copies(device_stream kernels, std::int64_t buffer_bytes);
  peer_copies(peer_copies&& other) noexcept;
  ~peer_copies();

  /// The next buffer. Later work on the stream waits until an earlier copy from it is complete.
  void* next_buffer();

  /// Copies rows that are dense in the buffer, once the earlier work on the stream is complete. `pitch` is that of the
  /// destination, in bytes.
  void start(void* destination, std::int64_t row_bytes, std::int64_t pitch, std::int64_t rows);

  /// Makes later work on the stream wait for all copies.
  void join();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace cornerturn::gpu
