/* Turns the corner of a distributed FFT from C: slabs along the first axis become slabs along the second one, whose first axis is
 * local. The library gets MPI's calls from the program, which compiles with its own MPI:
 * mpicc corner_turn.c -lcornerturn; run with mpiexec -n 4 ./a.out */
#include <cornerturn/cornerturn.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { planes = 60, rows = 45, columns = 16, most_messages = 1024 };

/* The context of the communicator's functions. A request is a number of this list. */
typedef struct messages {
  MPI_Comm ranks;
  MPI_Request pending[most_messages];
  int64_t count;
} messages;

static int isend(void* context, void const* data, int64_t bytes, int32_t peer, int64_t* request) {
  messages* const all = context;
  if (bytes > INT_MAX || all->count == most_messages) return MPI_ERR_COUNT; /* larger messages need MPI_Isend_c of MPI 4 */
  *request = all->count++;
  return MPI_Isend(data, (int)bytes, MPI_BYTE, peer, 0, all->ranks, &all->pending[*request]);
}

static int irecv(void* context, void* data, int64_t bytes, int32_t peer, int64_t* request) {
  messages* const all = context;
  if (bytes > INT_MAX || all->count == most_messages) return MPI_ERR_COUNT;
  *request = all->count++;
  return MPI_Irecv(data, (int)bytes, MPI_BYTE, peer, 0, all->ranks, &all->pending[*request]);
}

static int wait(void* context, int64_t request) {
  return MPI_Wait(&((messages*)context)->pending[request], MPI_STATUS_IGNORE);
}

static int all_min(void* context, int64_t* values, int32_t count) {
  return MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_MIN, ((messages*)context)->ranks);
}

static void abort_job(void* context, char const* reason) {
  fprintf(stderr, "%s\n", reason);
  MPI_Abort(((messages*)context)->ranks, 1);
}

int main(int argc, char** argv) {
  static messages all;
  cornerturn_communicator ranks = {sizeof ranks, &all, 0, 1, isend, irecv, wait, all_min, abort_job, NULL, NULL};
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &all.ranks); /* so that messages do not meet those of the program */
  MPI_Comm_rank(all.ranks, &ranks.rank);
  MPI_Comm_size(all.ranks, &ranks.ranks);

  /* Planes are divided among the ranks; in the result, rows are, and the planes of a row stand side by side. */
  int64_t const shape[] = {planes, rows, columns}, axes[] = {1, 2, 0}, grid[] = {ranks.ranks}, first[] = {0};
  cornerturn_sharding const slabs = {1, grid, first, NULL};
  cornerturn_distribution const turn = {sizeof turn, 3, shape, axes, cornerturn_bytes(sizeof(double)), slabs, slabs};

  /* Blocks are equal and rounded up, so that the last ones are shorter or empty. */
  int const each_planes = (planes + ranks.ranks - 1) / ranks.ranks, each_rows = (rows + ranks.ranks - 1) / ranks.ranks;
  int const first_plane = each_planes * ranks.rank, first_row = each_rows * ranks.rank;
  double* const slab = malloc(sizeof(double) * each_planes * rows * columns);
  double* const turned = malloc(sizeof(double) * each_rows * columns * planes);
  for (int i = 0; i < each_planes * rows * columns; ++i) slab[i] = first_plane * rows * columns + i;

  if (cornerturn_distributed_permute(slab, turned, &turn, &ranks) != CORNERTURN_OK) {
    fprintf(stderr, "%s\n", cornerturn_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }

  int wrong = 0, count = 0;
  for (int row = first_row; row < first_row + each_rows && row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      for (int plane = 0; plane < planes; ++plane) wrong += turned[count++] != (plane * rows + row) * columns + column;
  if (ranks.rank == 0) printf("%d of %d elements of rank 0 are wrong\n", wrong, count);
  free(slab);
  free(turned);
  MPI_Comm_free(&all.ranks);
  MPI_Finalize();
  return wrong > 0;
}
