// Messages in memory of a GPU, for which host memory stands, with an MPI that says whether it is CUDA-aware. Exits with 0 if all
// is as it must be.
#include <mpi.h>
#include <array>
#include <cornerturn/distributed_mpi.hpp>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace {

int answer = 0;

}  // namespace

/// The function of Open MPI and MPICH, in whose place it is found because the program comes before its libraries.
extern "C" int MPIX_Query_cuda_support() { return answer; }

namespace {

namespace distributed = cornerturn::distributed;

void expect(bool holds, char const* what) {
  if (!holds) throw std::logic_error(what);
}

/// A communicator whose stream writes the messages of a batch when it is waited for.
class of_gpu : public distributed::mpi_communicator {
 public:
  using mpi_communicator::mpi_communicator;
  std::array<int, 2> packed{-1, -1};
  int waits = 0;

 protected:
  void synchronize() override {
    packed[std::size_t(waits)] = 10 * waits + rank();
    ++waits;
  }
};

void expect_refused() {
  try {
    distributed::mpi_communicator const ranks(MPI_COMM_WORLD, 0);
  } catch (std::runtime_error const& refused) {
    return expect(
        std::string(refused.what()).starts_with("device is 0; it must be -1, host memory, because MPI is not CUDA-aware"),
        refused.what());
  }
  throw std::logic_error("device 0 was not refused");
}

/// Sends two batches around the ring of ranks.
int sent_batches() {
  of_gpu ranks(MPI_COMM_WORLD, 0);
  expect(ranks.device() == 0, "another device");
  auto const next = (ranks.rank() + 1) % ranks.size(), last = (ranks.rank() + ranks.size() - 1) % ranks.size();
  std::array<int, 2> received{-1, -1};
  std::array<std::int64_t, 4> requests;
  for (std::size_t batch = 0; batch < 2; ++batch) {
    requests[2 * batch] = ranks.irecv(&received[batch], sizeof(int), last);
    requests[2 * batch + 1] = ranks.isend(&ranks.packed[batch], sizeof(int), next);
    expect(ranks.waits == int(batch), "a message started before its batch");
    ranks.start();
  }
  for (auto const each : requests) ranks.wait(each);
  expect(received == std::array{last, 10 + last}, "a message with other bytes");
  ranks.start();  // without messages
  return ranks.waits;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  expect(!distributed::mpi_communicator::is_cuda_aware(), "CUDA-aware");
  expect_refused();
  answer = 1;
  auto const batches = sent_batches();
  if (rank == 0) std::printf("%d batches\n", batches);
  MPI_Finalize();
}
