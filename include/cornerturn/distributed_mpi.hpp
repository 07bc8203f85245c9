#pragma once

#include "cornerturn/cxx20.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
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

/// The ranks of an MPI communicator. Messages are in host memory. It is destroyed before MPI_Finalize.
class mpi_communicator : public communicator {
 public:
  /// Duplicates the communicator, so that messages do not meet those of the program. All ranks call it, after MPI_Init; a program
  /// with threads asks MPI for MPI_THREAD_FUNNELED or more. Throws std::runtime_error if MPI fails, as all functions do.
  explicit mpi_communicator(MPI_Comm ranks) {
    check(MPI_Comm_dup(ranks, &ranks_), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(ranks_, MPI_ERRORS_RETURN);
    check(MPI_Comm_rank(ranks_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(ranks_, &size_), "MPI_Comm_size");
  }
  mpi_communicator(mpi_communicator const&) = delete;
  mpi_communicator& operator=(mpi_communicator const&) = delete;
  ~mpi_communicator() override { MPI_Comm_free(&ranks_); }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::int64_t isend(void const* data, std::int64_t bytes, int peer) override {
    return start(bytes, [&](std::int64_t at, int count, MPI_Request* request) {
      check(MPI_Isend(static_cast<std::byte const*>(data) + at, count, MPI_BYTE, peer, kTag, ranks_, request), "MPI_Isend");
    });
  }

  std::int64_t irecv(void* data, std::int64_t bytes, int peer) override {
    return start(bytes, [&](std::int64_t at, int count, MPI_Request* request) {
      check(MPI_Irecv(static_cast<std::byte*>(data) + at, count, MPI_BYTE, peer, kTag, ranks_, request), "MPI_Irecv");
    });
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

  template <class Start>
  std::int64_t start(std::int64_t bytes, Start const& start_piece) {
    std::vector<MPI_Request> pieces;
    for (std::int64_t at = 0; at < bytes; at += kMostBytes)
      start_piece(at, int(std::min(kMostBytes, bytes - at)), &pieces.emplace_back(MPI_REQUEST_NULL));
    requests_.push_back(std::move(pieces));
    ++pending_;
    return std::int64_t(requests_.size()) - 1;
  }

  MPI_Comm ranks_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 0;
  std::vector<std::vector<MPI_Request>> requests_;  // one per message, of the pieces that carry it
  std::size_t pending_ = 0;                         // messages for which nobody has waited
};

}  // namespace cornerturn::distributed
