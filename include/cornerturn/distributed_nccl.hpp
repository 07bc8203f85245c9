#pragma once

#include "cornerturn/cxx20.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "cornerturn/distributed.hpp"
#include "cornerturn/export.h"

// A communicator for NCCL. The library looks NCCL up at run time, so neither the library nor the program is built with it.

namespace cornerturn::gpu {
class nccl_messages;
}

namespace cornerturn::distributed {

/// The ranks of an NCCL communicator. Messages are in memory of the communicator's GPU. The ranks agree by a second communicator,
/// such as `mpi_communicator`, so that the CPU does not wait for work on the GPU.
class CORNERTURN_API nccl_communicator : public communicator {
 public:
  /// `nccl` is an ncclComm_t whose calls block, as they do by default. `host` has the same ranks in the same order; only its
  /// `all_min` and `abort` are called. `stream` is a cudaStream_t of the communicator's GPU (null: the default stream). All three
  /// must outlive the object. Throws `error` if this process has no libnccl.so.2, if NCCL fails, and if the ranks of both are not
  /// the same.
  nccl_communicator(void* nccl, communicator& host, void* stream);
  nccl_communicator(nccl_communicator const&) = delete;
  ~nccl_communicator() override;

  int rank() const override;
  int size() const override;
  std::int64_t isend(void const* data, std::int64_t bytes, int peer) override;
  std::int64_t irecv(void* data, std::int64_t bytes, int peer) override;
  void wait(std::int64_t request) override;
  int device() const override;
  void* stream() const override;
  void start() override;
  void all_min(std::span<std::int64_t> values) override;
  void abort(std::string_view reason) override;

 private:
  communicator& host_;
  void* stream_;
  std::unique_ptr<gpu::nccl_messages> messages_;
};

}  // namespace cornerturn::distributed
