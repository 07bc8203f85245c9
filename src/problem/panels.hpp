#pragma once

#include <cstdint>
#include <optional>

#include "problem/problem.hpp"
#include "problem/squares.hpp"

namespace cornerturn {

/// A permutation in place that permutes panels of an array one by one. In the source a panel has `rows` rows of `slots` slots,
/// and each slot has `columns` runs of every row. In the destination the panel has `columns` rows of `slots` slots with `rows`
/// runs each: every slot is transposed in place. A rectangle whose rows and columns are exchanged is one panel with one slot. All
/// members count elements unless their comment says otherwise.
struct panels {
  std::int64_t rows = 1;                                   ///< source rows of a panel
  std::int64_t slots = 1;                                  ///< slots of a panel
  std::int64_t columns = 1;                                ///< runs of a slot in a source row; destination rows of a panel
  std::int64_t run = 1;                                    ///< contiguous elements that stay together
  std::int64_t source_pitch = 0, destination_pitch = 0;    ///< from one row to the next
  std::int64_t count = 1;                                  ///< panels of an array of the batch
  std::int64_t source_stride = 0, destination_stride = 0;  ///< from one panel to the next
  std::int64_t group = 1;                                  ///< panels between which there are no gaps
  std::int64_t source_gap = 0, destination_gap = 0;        ///< between two groups of panels, in addition to the strides
  repetition batch;                                        ///< the arrays of the batch
  std::int64_t element_size = 1;                           ///< bytes
  std::int64_t offset = 0;                                 ///< from the caller's pointer
  bool operator==(panels const&) const = default;

  std::int64_t bytes_of_panel() const { return rows * slots * columns * run * element_size; }  ///< bytes that move within a panel
  std::int64_t bytes() const { return batch.count * count * bytes_of_panel(); }                ///< bytes that move in all panels

  /// True if panels are closer together or farther apart in the destination, so that a panel overwrites others.
  bool is_shifted() const { return source_stride != destination_stride || source_gap != destination_gap; }
  /// True if the last panel is moved first, false if the first panel is. In this order a panel overwrites only itself and
  /// preceding panels.
  bool is_descending() const { return destination_stride > source_stride || destination_gap > source_gap; }
  /// The number of preceding panels, in the order of moving, that a panel may overwrite after they have been read.
  std::int64_t read_before() const;
};

/// Restates a canonical problem whose source and destination are one dense array. Returns panels if the problem is (batch, m,
/// [b], n, run) -> (batch, n, [b], m, run) with m != n; otherwise nothing.
std::optional<panels> panels_of(problem const& canonical);

}  // namespace cornerturn
