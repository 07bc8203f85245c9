// Moves random arrays whose grids have as many ranks as the job, and makes wrong calls. Exits with 0 if all is as it must be.
#include <mpi.h>
#include <cornerturn/distributed_mpi.hpp>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "cornerturn/error.hpp"
#include "support/random_description.hpp"
#include "support/sharded.hpp"

namespace {

namespace distributed = cornerturn::distributed;
namespace test = cornerturn::test;

int move_random_arrays(distributed::communicator& ranks) {
  int moved = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    auto const given = test::random_description(seed);
    if (test::ranks_of(given) != ranks.size()) continue;
    auto const source = test::source_of(given).block_of(ranks.rank(), given.element.bytes(), given.shape);
    auto const reference = test::destination_of(given).block_of(ranks.rank(), given.element.bytes(), given.shape);
    std::vector<std::byte> destination(reference.size());
    distributed::permute(source.data(), destination.data(), given, ranks);
    if (destination != reference) throw std::logic_error("seed " + std::to_string(seed) + ": a wrong block");
    ++moved;
  }
  return moved;
}

/// The message that a rank gets if rank 1 describes another array.
std::string message_of_mismatch(distributed::communicator& ranks) {
  distributed::description given{{6, 4}, {1, 0}, {{ranks.size()}, {0}}, {{ranks.size()}, {0}}, 4};
  if (ranks.rank() == 1) given.shape = {6, 5};
  try {
    distributed::plan(given, ranks);
  } catch (cornerturn::error const& e) {
    return e.what();
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    distributed::mpi_communicator ranks(MPI_COMM_WORLD);
    auto const said = message_of_mismatch(ranks);
    if (ranks.size() > 1 && said != "shape differs between ranks; it must be the same on all ranks")
      throw std::logic_error("rank " + std::to_string(ranks.rank()) + " gets '" + said + "'");
    auto const moved = move_random_arrays(ranks);
    if (ranks.rank() == 0) std::printf("moved %d arrays\n", moved);
  }
  MPI_Finalize();
}
