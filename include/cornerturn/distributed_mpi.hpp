#pragma once

#include "cornerturn/cxx20.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cornerturn/distributed.hpp"

// A communicator for MPI. It is compiled by a program with that program's own MPI, because the library is built without MPI and
// the binary interfaces of MPI's implementations differ. No other header includes it.

namespace cornerturn::distributed {

/// The ranks of an MPI communicator. It is destroyed before MPI_Finalize.
class mpi_communicator : public communicator {
 public:
  /// Duplicates the communicator, so that messages do not mix with the program's. All ranks call it, after MPI_Init; a program
  /// with threads asks MPI for MPI_THREAD_FUNNELED or more. Throws std::runtime_error if MPI fails, as all functions do.
  ///
  /// By default messages are in host memory. With the number of a GPU they are in its memory, which is passed to MPI; `stream` is
  /// a cudaStream_t of that GPU (null: the default stream). MPI knows no streams, so a run waits for the stream before it starts
  /// the messages of a batch, and returns when all messages are complete. Throws std::runtime_error if MPI is not CUDA-aware.
  explicit mpi_communicator(MPI_Comm ranks, int device = -1, void* stream = nullptr) : device_(device), stream_(stream) {
    if (device >= 0 && !is_cuda_aware())
      throw std::runtime_error("device is " + std::to_string(device) +
                               "; it must be -1, host memory, because MPI is not CUDA-aware: MPIX_Query_cuda_support() is not 1");
    check(MPI_Comm_dup(ranks, &ranks_), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(ranks_, MPI_ERRORS_RETURN);
    check(MPI_Comm_rank(ranks_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(ranks_, &size_), "MPI_Comm_size");
  }
  mpi_communicator(mpi_communicator const&) = delete;
  mpi_communicator& operator=(mpi_communicator const&) = delete;
  ~mpi_communicator() override { MPI_Comm_free(&ranks_); }

  /// True if MPI takes memory of GPUs. Open MPI and MPICH report this by MPIX_Query_cuda_support, which is looked up at run time,
  /// because it is not in MPI's standard.
  static bool is_cuda_aware() {
    auto* const query = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support"));
    return query && query() == 1;
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int device() const override { return device_; }
  void* stream() const override { return stream_; }

  std::int64_t isend(void const* data, std::int64_t bytes, int peer) override {
    return add(bytes, [this, data, peer](std::int64_t at, int count, MPI_Request* request) {
      check(MPI_Isend(static_cast<std::byte const*>(data) + at, count, MPI_BYTE, peer, kTag, ranks_, request), "MPI_Isend");
    });
  }

  std::int64_t irecv(void* data, std::int64_t bytes, int peer) override {
    return add(bytes, [this, data, peer](std::int64_t at, int count, MPI_Request* request) {
      check(MPI_Irecv(static_cast<std::byte*>(data) + at, count, MPI_BYTE, peer, kTag, ranks_, request), "MPI_Irecv");
    });
  }

  /// Waits for the work on the stream, then starts the messages in memory of a GPU.
  void start() override {
    if (noted_.empty()) return;
    synchronize();
    for (auto const& start_message : std::exchange(noted_, {})) start_message();
  }

  void wait(std::int64_t request) override {
    auto pieces = std::exchange(requests_.at(std::size_t(request)), {});
    check(MPI_Waitall(int(pieces.size()), pieces.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    if (--pending_ == 0) requests_.clear();
  }

  void all_min(std::span<std::int64_t> values) override {
    check(MPI_Allreduce(MPI_IN_PLACE, values.data(), int(values.size()), MPI_INT64_T, MPI_MIN, ranks_), "MPI_Allreduce");
  }

  /// Prints the reason on standard error and calls MPI_Abort, which ends the processes of all ranks.
  void abort(std::string_view reason) override {
    std::fprintf(stderr, "cornerturn: rank %d fails: %.*s\n", rank_, int(reason.size()), reason.data());
    std::fflush(stderr);
    MPI_Abort(ranks_, 1);
  }

 protected:
  /// Waits for the work on the stream.
  virtual void synchronize() { distributed::synchronize(device_, stream_); }

 private:
  static constexpr int kTag = 0;
  static constexpr std::int64_t kMostBytes = std::int64_t(1) << 30;  // MPI counts in int, so longer messages go in pieces

  static void check(int code, char const* call) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw std::runtime_error(std::string(call) + " failed: " + std::string(text, std::size_t(length)));
  }

  /// Starts a message or, on a GPU, notes it for `start`.
  template <class Start>
  std::int64_t add(std::int64_t bytes, Start const& start_piece) {
    auto const number = requests_.size();
    requests_.emplace_back();
    ++pending_;
    auto const start_message = [this, number, bytes, start_piece] {
      for (std::int64_t at = 0; at < bytes; at += kMostBytes)
        start_piece(at, int(std::min(kMostBytes, bytes - at)), &requests_[number].emplace_back(MPI_REQUEST_NULL));
    };
    if (device_ < 0)
      start_message();
    else
      noted_.push_back(start_message);
    return std::int64_t(number);
  }

  MPI_Comm ranks_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 0, device_;
  void* stream_;
  std::vector<std::function<void()>> noted_;        // functions that start the messages of a batch
  std::vector<std::vector<MPI_Request>> requests_;  // for each message, the requests of its pieces
  std::size_t pending_ = 0;                         // messages for which nobody has waited
};

}  // namespace cornerturn::distributed
