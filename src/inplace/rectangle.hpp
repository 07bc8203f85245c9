#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "problem/panels.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// A way to cut a rectangle of m x n runs for two passes: `parts` x `parts` slots of `rows` x `columns` runs. The rows below the
/// slots and the columns beside them are saved in the workspace.
struct rectangle_cut {
  std::int64_t parts = 1;                        ///< slots along each side
  std::int64_t rows = 1, columns = 1;            ///< runs along the sides of a slot
  std::int64_t rows_left = 0, columns_left = 0;  ///< rows below the slots, and columns beside them
  std::int64_t workspace_bytes = 0;              ///< bytes of the saved elements and of the flags

  std::int64_t panel_bytes(panels const& whole) const { return parts * rows * columns * whole.run * whole.element_size; }
};

/// The cut of rectangles, given as panels of one slot, into `parts` x `parts` slots.
rectangle_cut cut_into(panels const& whole, std::int64_t parts);

/// The bytes of the workspace for as many flags.
std::int64_t flags_bytes_for(std::int64_t count);

/// A cut, the order of the passes, and its cost.
struct ranked_cut {
  rectangle_cut cut;
  bool swaps_first = false;
  double cost = 0;
};

/// Returns the cost of a cut in an order of the passes. Of two cuts whose slots have equal extents, the one with fewer parts and
/// with less workspace costs at most as much.
using cut_cost = std::function<double(rectangle_cut const&, bool swaps_first)>;

/// The `count` cheapest cuts, each in both orders of the passes, whose panels have at most `most_bytes` bytes and that need at
/// most `most_workspace` bytes; the cheapest first, then those with fewer parts. A few thousand numbers of parts are considered,
/// from the smallest one whose panels may be small enough. Most of them are skipped, because others are known to cost less.
std::vector<ranked_cut> cheapest_cuts(panels const& whole, std::int64_t most_bytes, std::int64_t most_workspace,
                                      std::size_t count, cut_cost const& cost);

/// A part of the rectangles that is copied to the workspace before the passes, and from there to its place in the result.
struct saved_part {
  problem save, restore;    ///< from the array to the workspace, and back; both canonical
  std::int64_t offset = 0;  ///< bytes from the beginning of the workspace
};

/// The two passes that exchange the rows and columns of rectangles (docs/inplace.md), and what is saved before them.
struct rectangle_passes {
  panels panel;                   ///< the pass that transposes every slot where it is
  problem slots;                  ///< the pass that swaps slots across the diagonal; canonical, its sides are one array
  bool swaps_first = false;       ///< true if slots are swapped before they are transposed
  std::vector<saved_part> saved;  ///< empty if the slots fill the rectangles
  std::int64_t flags_bytes = 0;   ///< bytes at the beginning of the workspace, if panels wait for each other
  std::int64_t workspace_bytes = 0;

  /// Passes that save nothing yet, without slots.
  rectangle_passes(panels const& panel, bool swaps_first);
  /// Saves the rows of `whole` from row `first` on.
  void save_rows(panels const& whole, std::int64_t first);
  /// Saves the columns of `whole` from column `first` on, in the first `rows` rows.
  void save_columns(panels const& whole, std::int64_t rows, std::int64_t first);

 private:
  void add(saved_part part, std::int64_t bytes);
};

/// States both passes of a cut. The pass that swaps slots moves `rows` runs at a time if slots are transposed first, otherwise
/// `columns` runs.
rectangle_passes passes_of(panels const& whole, rectangle_cut const& cut, bool swaps_first);

}  // namespace cornerturn
