#pragma once

#include <cstdint>

#include "block/host_device.hpp"
#include "block/sizes.hpp"
#include "tile/fast_divmod.hpp"

namespace cornerturn {

/// Boxes whose runs are permuted in place: an array of (rows, between, columns) runs becomes one of (columns, between, rows)
/// runs. A box has the same part of every run. A cluster of blocks has one box, and each block has the parts of some runs that
/// are neighbours in the source. All members count elements unless their comment says otherwise.
///
/// For example, an array of (2, 1, 3) runs of 10 elements, of which groups of 3 have a gap of 4 after them, becomes (3, 1, 2).
/// Run 4 is in row 1, column 1. It begins at element 4 * 10 + 1 * 4 = 44 and becomes run 1 * 2 + 1 = 3, at element 34.
struct boxes_job {
  std::int64_t run = 1;           ///< a run
  std::int64_t gap = 0;           ///< between two groups of runs; the runs of a group are contiguous
  std::int64_t array_stride = 0;  ///< from one array of the batch to the next
  std::int64_t elements = 0;      ///< from the first run of the first array to the end of the last run of the last one
  int runs = 1;                   ///< runs of an array
  int block_runs = 1;             ///< runs of a block; the last blocks of a cluster may have fewer
  int part = 1;                   ///< the elements of each run in a box; the last box may have fewer
  int shared_pitch = 0;           ///< from one part to the next in shared memory
  int rows = 1;                   ///< the extent that is outermost in the source and innermost in the destination
  fast_divmod columns{1};         ///< the extent that is innermost in the source
  fast_divmod between{1};         ///< the extent between them
  fast_divmod cluster{1};         ///< blocks of a box
  fast_divmod boxes{1};           ///< boxes of an array
  fast_divmod group{1};           ///< runs of a group, if there are gaps
  fast_divmod part_units{1};      ///< 16-byte units of global memory that a part touches, at most

  /// The distance from the first run of an array to the run `index`.
  CORNERTURN_HOST_DEVICE std::int64_t offset_of(int index) const {
    return index * run + (gap == 0 ? 0 : group.divide(index) * gap);
  }

  /// The index in the destination of a run of the source.
  CORNERTURN_HOST_DEVICE int destination_of(int index) const {
    int row, middle, column;
    columns(row, column, index);
    between(row, middle, row);
    return (column * between.divisor + middle) * rows + row;
  }
};

/// The part of a box that a block has.
struct box_part {
  int first, runs;      ///< runs of the source
  int elements;         ///< elements of each run
  std::int64_t offset;  ///< elements from the first array to the box's part of the first run of its array

  CORNERTURN_HOST_DEVICE box_part(boxes_job const& job, int block) {
    int rank, box, array;
    job.cluster(box, rank, block);
    job.boxes(array, box, box);
    first = rank * job.block_runs;
    int const left = job.runs - first;
    runs = left < 0 ? 0 : left < job.block_runs ? left : job.block_runs;
    std::int64_t const before = box * std::int64_t(job.part), rest = job.run - before;
    elements = rest < job.part ? int(rest) : job.part;
    offset = array * job.array_stride + before;
  }
};

/// The elements of shared memory before the first part and after the last one. Parts that begin within a unit load words from
/// there.
constexpr int boxes_shared_lead(int element_size) { return element_size == kUnitBytes ? 0 : kSectorBytes / element_size; }

inline constexpr int kBoxesThreads = 512;  ///< threads per block of the kernel `boxes`

}  // namespace cornerturn
