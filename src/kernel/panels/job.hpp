#pragma once

#include <cstdint>

#include "block/host_device.hpp"
#include "tile/fast_divmod.hpp"

namespace cornerturn {

/// The work that the blocks of a cluster divide among them: the slots of a panel, or the rows or columns of its only slot.
enum class panel_share { slots, rows, columns };

/// A launch that transposes the slots of a panel may also exchange them with the slots across the diagonal: after the transpose,
/// in the destination's order, or before it, in the source's order.
enum class slot_exchange { none, after, before };

/// Panels whose slots are transposed in place (problem/exchange.hpp). The source is the array before the launch, the destination
/// is the same array afterwards. A cluster of blocks has one panel, and each block has some of its slots, rows or columns. A unit
/// is a 16-byte vector. All members count elements unless their comment says otherwise.
///
/// For example, a panel of 2 rows of 3 slots of 4 elements becomes 4 rows of 3 slots of 2 elements. Row 1, slot 2, column 1 moves
/// from element 1 * 12 + 2 * 4 + 1 = 21 to element 1 * 6 + 2 * 2 + 1 = 11.
struct panels_job {
  // The array: where panels are before the launch and after it.
  std::int64_t source_pitch = 0, destination_pitch = 0;    ///< from one row to the next
  std::int64_t source_stride = 0, destination_stride = 0;  ///< from one panel to the next
  std::int64_t source_gap = 0, destination_gap = 0;        ///< between two groups of panels, in addition to the strides
  std::int64_t batch_stride = 0;                           ///< from one array of the batch to the next

  // A panel.
  int rows = 1;     ///< source rows of a panel
  int columns = 1;  ///< runs of a slot in a source row; destination rows of a panel
  int slots = 1;    ///< slots of a panel

  // A block's part of a panel, and the slots in it.
  panel_share share = panel_share::slots;  ///< the work that a cluster's blocks divide among them
  int block_share = 1;                     ///< number of slots, rows or columns of a block; the last blocks may have fewer
  int slot_width = 1;                      ///< elements of a slot in a source row
  int slot_height = 1;                     ///< elements of a slot in a destination row

  // Shared memory, and how `panels` reads destination rows from it.
  int row_stride = 0;    ///< from one row of shared memory to the next
  int group_stride = 0;  ///< from one group of rows of shared memory to the next; a group has a row per element of a unit
  int step = 0;  ///< from one element of a destination row to the next in shared memory; 0 if they have no constant distance
  int jump = 0;  ///< added to `step` between two slots
  int lane_units = 1;  ///< units of a destination row that a warp stores at once, in 32 / lane_units rows, if `step` is not 0

  // The order in which panels are moved, and the divisors of a block's index in this order.
  int read_before = 0;         ///< number of preceding panels that a panel may overwrite; if 0, panels have no flags
  bool is_descending = false;  ///< true if the last panel of an array is moved first
  fast_divmod cluster{1};      ///< blocks of a panel
  fast_divmod count{1};        ///< panels of an array
  fast_divmod group{1};        ///< panels of a group

  // Load.
  fast_divmod source_units{1};  ///< units that the block's part of a source row touches, at most

  // Store.
  fast_divmod destination_units{1};  ///< units that the block's part of a destination row touches, at most
  fast_divmod patches{1};            ///< parts of `lane_units` units of the block's part of a destination row
  fast_divmod slot_units{1};         ///< units of a slot in a destination row; its elements if rows are not aligned
  fast_divmod run{1};                ///< elements of a run

  /// The offset in shared memory of an element of row `row`, `column` elements after the block's first one.
  /// With a row_stride of 24 and a group_stride of 100, element 2 of row 5 is at 1 * 100 + 1 * 24 + 2 = 126 if V is 4.
  template <int V>
  CORNERTURN_HOST_DEVICE int shared_offset(int row, int column) const {
    return row / V * group_stride + row % V * row_stride + column;
  }
};

/// The part of a panel that a block has.
struct panel_part {
  int number;                        ///< index of the panel, in the order in which panels are moved
  int position;                      ///< index of the panel in its array, in the order in which panels are moved
  int index;                         ///< index of the panel in its array, in the order of memory
  int first_slot = 0;                ///< index of the block's first slot in the panel
  int rank;                          ///< index of the block in its cluster
  int slots, rows, columns;          ///< extents of the part of this block
  std::int64_t source, destination;  ///< elements from the first array to the block's first element

  CORNERTURN_HOST_DEVICE panel_part(panels_job const& job, int block) {
    int array;
    job.cluster(number, rank, block);
    job.count(array, position, number);
    index = job.is_descending ? job.count.divisor - 1 - position : position;
    int const first = rank * job.block_share, groups = job.group.divide(index);
    auto const mine = [&](panel_share each, int all) {
      if (job.share != each) return all;
      int const left = all - first;
      return left < 0 ? 0 : left < job.block_share ? left : job.block_share;
    };
    if (job.share == panel_share::slots) first_slot = first;
    slots = mine(panel_share::slots, job.slots), rows = mine(panel_share::rows, job.rows);
    columns = mine(panel_share::columns, job.columns);
    std::int64_t const run = job.run.divisor;
    source = array * job.batch_stride + index * job.source_stride + groups * job.source_gap +
             first * (job.share == panel_share::slots  ? job.slot_width
                      : job.share == panel_share::rows ? job.source_pitch
                                                       : run);
    destination = array * job.batch_stride + index * job.destination_stride + groups * job.destination_gap +
                  first * (job.share == panel_share::slots  ? job.slot_height
                           : job.share == panel_share::rows ? run
                                                            : job.destination_pitch);
  }

  /// Elements of the block's part of a source row, and of a destination row.
  CORNERTURN_HOST_DEVICE int width(panels_job const& job) const { return slots * columns * job.run.divisor; }
  CORNERTURN_HOST_DEVICE int height(panels_job const& job) const { return slots * rows * job.run.divisor; }
};

/// Threads per block of the kernel `panels`. Aligned rows of 1- and 2-byte elements consist of squares that need many registers,
/// so they have fewer threads.
constexpr int panels_threads_of(int element_size, bool is_aligned) { return is_aligned && element_size <= 2 ? 256 : 512; }

}  // namespace cornerturn
