#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>

#include "problem/problem.hpp"

namespace cornerturn {

/// An exchange of two groups of neighbouring modes in place: an array of extents (batch, rows, between, columns, run) becomes one
/// of extents (batch, columns, between, rows, run). Each member is the product of the extents of a group.
struct exchange {
  std::int64_t batch = 1, rows = 1, between = 1, columns = 1, run = 1;
  auto operator<=>(exchange const&) const = default;

  bool is_square() const { return rows == columns; }
  std::int64_t runs() const { return rows * between * columns; }  ///< runs of an array
  std::int64_t longer() const { return std::max(rows, columns); }
  std::int64_t shorter() const { return std::min(rows, columns); }
};

/// The places of an array's runs: each group of runs is contiguous, and a gap follows it.
struct run_gaps {
  std::int64_t group = 1;  ///< runs of a group
  std::int64_t gap = 0;    ///< elements between two groups
  bool operator==(run_gaps const&) const = default;

  /// Elements from the first run to the run `index`, where a run has `run` elements.
  std::int64_t offset_of(std::int64_t index, std::int64_t run) const { return index * run + index / group * gap; }
};

/// The distances between the rows of an exchange and between its panels, before the exchange or after it, in elements.
struct panel_strides {
  std::int64_t pitch;   ///< from one row to the next
  std::int64_t stride;  ///< from one panel to the next
  std::int64_t gap;     ///< between two groups of panels, in addition to the stride
};

/// An exchange in memory, from which the GPU's kernels in place, the CPU's swaps, panels and boxes, and the units of files are
/// made. An array may consist of several panels. Then a panel has the extents, and the exchange takes place within each panel.
///
/// Example: 7 x 5 elements in 2 x 2 slots of 3 x 2 elements. Both panels have rows = 3, between = 2, columns = 2 and run = 1.
/// In the source a gap of 1 element follows each row of 4 runs. In the destination, whose rows have 7 elements, a gap of 1
/// element follows each row of 6 runs. So the second panel moves from element 15 to element 14.
struct placed_exchange : exchange {
  std::int64_t panels = 1;        ///< panels of an array
  std::int64_t array_stride;      ///< elements from one array of the batch to the next
  run_gaps source, destination;   ///< the places of an array's runs before and after
  std::int64_t element_size = 1;  ///< bytes
  std::int64_t offset = 0;        ///< elements from the caller's pointer
  bool operator==(placed_exchange const&) const = default;

  /// An exchange of dense arrays.
  placed_exchange(exchange const& extents, std::int64_t size)
      : exchange(extents), array_stride(runs() * run), element_size(size) {}

  std::int64_t panel_bytes() const { return runs() * run * element_size; }     ///< bytes that move within a panel
  std::int64_t bytes() const { return batch * panels * panel_bytes(); }        ///< bytes that move in all arrays
  std::int64_t slot_stride() const { return source.offset_of(columns, run); }  ///< elements between slots of a source row
  panel_strides source_strides() const { return strides_of(source, rows, columns); }
  panel_strides destination_strides() const { return strides_of(destination, columns, rows); }
  /// The panels between which there are no gaps in addition to the strides.
  std::int64_t panel_group() const { return std::max<std::int64_t>(1, std::max(source.group, destination.group) / runs()); }

  /// True if panels are closer together or farther apart in the destination, so that a panel overwrites others.
  bool is_shifted() const;
  /// True if the last panel is moved first, false if the first panel is. In this order a panel overwrites only itself and
  /// preceding panels.
  bool is_descending() const;
  /// The number of preceding panels, in the order of moving, that a panel may overwrite after they have been read.
  std::int64_t read_before() const;

 private:
  panel_strides strides_of(run_gaps const& places, std::int64_t lines, std::int64_t across) const;
};

/// The copy that an exchange is, with all modes: batch, panels, columns, between, rows, run. There are no gaps between groups of
/// panels.
problem problem_of(placed_exchange const& each);

/// Restates a canonical problem whose source and destination are one dense array. Returns nothing unless it is an exchange.
std::optional<placed_exchange> exchange_of(problem const& canonical);

}  // namespace cornerturn
