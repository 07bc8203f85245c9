// Turns the corner of a distributed FFT: slabs along the first axis become slabs along the second one, whose first axis is local.
// Compile with the program's own MPI: mpicxx -std=c++20 corner_turn.cpp -lcornerturn; run with mpiexec -n 4 ./a.out
#include <mpi.h>
#include <complex>
#include <cornerturn/distributed_mpi.hpp>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace ct = cornerturn::distributed;
using element = std::complex<float>;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int wrong = 0;
  {
    ct::mpi_communicator ranks(MPI_COMM_WORLD);
    constexpr std::int64_t planes = 60, rows = 45, columns = 16;

    // Planes are divided among the ranks; in the result, rows are, and the planes of a row stand side by side.
    ct::description const turn{.shape = {planes, rows, columns},
                               .axes = {1, 2, 0},
                               .source = {.grid = {ranks.size()}, .modes = {0}},
                               .destination = {.grid = {ranks.size()}, .modes = {0}},
                               .element = sizeof(element)};
    auto const plan = ct::plan(turn, ranks);

    auto const mine = plan.source_block();
    std::vector<element> slab(std::size_t(mine.extents[0] * rows * columns));
    for (std::size_t i = 0; i < slab.size(); ++i) slab[i] = float(mine.begin[0] * rows * columns + std::int64_t(i));
    auto const shape = plan.destination_shape();
    std::vector<element> turned(std::size_t(shape[0] * columns * planes));
    std::vector<char> workspace(std::size_t(plan.workspace_bytes()));
    plan.run(slab.data(), turned.data(), ranks, workspace.data());

    std::int64_t const first = (rows + ranks.size() - 1) / ranks.size() * ranks.rank();  // the first row of this rank
    for (std::size_t i = 0; i < turned.size(); ++i) {
      auto const at = std::int64_t(i), plane = at % planes, column = at / planes % columns, row = first + at / planes / columns;
      wrong += turned[i] != element(float((plane * rows + row) * columns + column));
    }
    if (ranks.rank() == 0) std::printf("%d of %zu elements of rank 0 are wrong\n", wrong, turned.size());
  }
  MPI_Finalize();
  return wrong > 0;
}
