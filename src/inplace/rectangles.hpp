#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "kernel/alignment.hpp"
#include "plan/step.hpp"
#include "problem/exchange.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// A way to cut a rectangle of m x n runs for two passes: `parts` x `parts` slots of `rows` x `columns` runs. The rows below the
/// slots and the columns beside them are saved in the workspace.
struct rectangle_cut {
  std::int64_t parts = 1;                        ///< slots along each side
  std::int64_t rows = 1, columns = 1;            ///< runs along the sides of a slot
  std::int64_t rows_left = 0, columns_left = 0;  ///< rows below the slots, and columns beside them
  std::int64_t workspace_bytes = 0;              ///< bytes of the saved elements and of the flags

  std::int64_t panel_bytes(placed_exchange const& whole) const { return parts * rows * columns * whole.run * whole.element_size; }
};

/// The cut of rectangles into `parts` x `parts` slots. Rectangles are exchanges of dense arrays with nothing between the groups.
rectangle_cut cut_into(placed_exchange const& whole, std::int64_t parts);

/// The bytes of the workspace for `count` flags.
std::int64_t flags_bytes_for(std::int64_t count);

/// A cut, the order of the passes, and its cost.
struct ranked_cut {
  rectangle_cut cut;
  bool swaps_first = false;
  double cost = 0;
};

/// Returns the cost of a cut in an order of the passes. If the slots of two cuts have equal extents, fewer parts and less
/// workspace must not cost more.
using cut_cost = std::function<double(rectangle_cut const&, bool swaps_first)>;

/// The `count` cheapest cuts, each in both orders of the passes, whose panels have at most `most_bytes` bytes and that need at
/// most `most_workspace` bytes; the cheapest first, and among equal costs the fewest parts first. A few thousand numbers of parts
/// are considered, from the smallest number whose panels may be small enough. Most numbers are skipped, because others are known
/// to cost less.
std::vector<ranked_cut> cheapest_cuts(placed_exchange const& whole, std::int64_t most_bytes, std::int64_t most_workspace,
                                      std::size_t count, cut_cost const& cost);

/// The chunks of a rectangle's longer side.
struct chunking {
  std::int64_t length = 0, count = 0, left = 0;  ///< indices of a chunk, chunks, and indices that remain
};

/// The time that a saved element takes, in units of the time of a copy of an element. It is read and written twice, the second
/// time in short runs.
inline constexpr double kSavedCost = 4;

/// The time of both passes of a cut, and of their saved parts, in units of the time of a copy of the rectangles. `panels_share`
/// and `slots_share` are the passes' shares of a copy's speed.
double passes_cost(placed_exchange const& whole, rectangle_cut const& cut, double panels_share, double slots_share);

/// A part of the rectangles that is copied to the workspace before the passes, and from there to its place in the result.
struct saved_part {
  problem save, restore;    ///< from the array to the workspace, and back; both canonical
  std::int64_t offset = 0;  ///< bytes from the beginning of the workspace
};

/// The two passes that exchange the rows and columns of rectangles (docs/inplace.md), and the parts that are saved before them.
struct rectangle_passes {
  placed_exchange panel;          ///< the pass that transposes every slot where it is
  placed_exchange runs;           ///< the pass that exchanges the rows of slots across the diagonal, or the rows of chunks
  bool swaps_first = false;       ///< true if runs are exchanged before slots are transposed
  std::vector<saved_part> saved;  ///< empty if the slots fill the rectangles
  std::int64_t flags_bytes = 0;   ///< bytes at the beginning of the workspace, if panels wait for each other
  std::int64_t workspace_bytes = 0;

  /// Passes that save nothing yet.
  rectangle_passes(placed_exchange const& panel, placed_exchange const& runs, bool swaps_first);
  /// Saves the columns of `whole` from `first_column` on, in `rows` rows from `first_row` on.
  void save(placed_exchange const& whole, std::int64_t first_row, std::int64_t rows, std::int64_t first_column);
};

/// States both passes of a cut. The pass that swaps slots moves `rows` runs at a time if slots are transposed first, otherwise
/// `columns` runs. A cut into one slot needs the first pass only.
rectangle_passes passes_of(placed_exchange const& whole, rectangle_cut const& cut, bool swaps_first);

/// States both passes of chunks of the longer side: within each chunk the exchange is a panel, and the chunks are exchanged as
/// runs. If indices remain, the number of chunks is a multiple of the shorter side.
rectangle_passes passes_of(placed_exchange const& whole, chunking const& chunks);

inline constexpr int kWorkspaceAlign = 16;  ///< bytes

/// The copies of the saved parts to the workspace, and from there to their places.
struct saved_copies {
  std::vector<step> save, restore;
};

/// make_copy(problem, alignment) returns the step of a copy, or nothing to give up the copies.
template <class MakeCopy>
std::optional<saved_copies> copies_of(rectangle_passes const& passes, alignment const& aligned, MakeCopy const& make_copy) {
  using enum buffer_role;
  saved_copies result;
  for (auto const& each : passes.saved) {
    std::optional<step> copy = make_copy(each.save, alignment{aligned.destination, kWorkspaceAlign});
    if (!copy) return std::nullopt;
    copy->source = {destination}, copy->destination = {workspace, each.offset};
    result.save.push_back(*std::move(copy));
  }
  for (auto const& each : passes.saved) {
    std::optional<step> copy = make_copy(each.restore, alignment{kWorkspaceAlign, aligned.destination});
    if (!copy) return std::nullopt;
    copy->source = {workspace, each.offset}, copy->destination = {destination};
    result.restore.push_back(*std::move(copy));
  }
  return result;
}

/// All steps in order: copies of the saved parts to the workspace, both passes, copies from the workspace. `runs` is the step
/// that exchanges runs, if there is one.
std::vector<step> steps_of(std::optional<step> runs, step panel, bool swaps_first, saved_copies copies);

}  // namespace cornerturn
