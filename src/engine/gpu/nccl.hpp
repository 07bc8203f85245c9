#pragma once

#include <cstdint>
#include <memory>

namespace cornerturn::gpu {

/// Messages between GPUs by NCCL, which is found at run time. They run on a stream of their own.
class nccl_messages {
 public:
  /// `ranks` is an ncclComm_t, and `stream` a cudaStream_t of its GPU (null: the default one). Throws `error` if there is no
  /// NCCL.
  nccl_messages(void* ranks, void* stream);
  ~nccl_messages();

  int rank() const;
  int size() const;
  int device() const;  ///< the number of the communicator's GPU

  /// Notes a message for `start`. Returns a number for `wait`.
  std::int64_t send(void const* data, std::int64_t bytes, int peer);
  std::int64_t receive(void* data, std::int64_t bytes, int peer);

  /// Starts the noted messages together, after the work that is on the stream now.
  void start();

  /// Makes later work on the stream wait for a message that was started. Called once for each message.
  void wait(std::int64_t number);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace cornerturn::gpu
