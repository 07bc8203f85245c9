#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "inplace/rectangles.hpp"
#include "kernel/alignment.hpp"
#include "kernel/panels/plan.hpp"
#include "machine/gpu_model.hpp"
#include "plan/candidate.hpp"
#include "problem/exchange.hpp"

namespace cornerturn {

/// The largest panel of a GPU in bytes, which fits into the shared memory of a cluster of blocks.
std::int64_t most_panel_bytes(gpu_model const& gpu);

/// Rectangles whose elements are as large as the alignment allows. Returns nothing for other problems.
std::optional<placed_exchange> rectangles_of(problem const& canonical, alignment const& aligned);

/// The candidates of a GPU for a canonical problem that exchanges two groups of modes in place, the fastest first, with at most
/// `most_workspace` bytes of workspace. The problem has elements, and its source and destination are one array. Empty if there is
/// no candidate.
std::vector<candidate> gpu_exchange_candidates(problem const& canonical, alignment const& aligned, gpu_model const& gpu,
                                               std::int64_t most_workspace);

/// The first of these candidates, without planning all of them to the end.
std::optional<candidate> fastest_gpu_exchange(problem const& canonical, alignment const& aligned, gpu_model const& gpu,
                                              std::int64_t most_workspace);

/// The fastest kernel of a GPU that permutes each array of a batch of small arrays in place, by tiles of whole arrays: a block
/// reads all of its tile before it writes the tile's result to the same place. `refit_elements` returned the problem, whose
/// source and destination are one dense array. Returns nothing if the problem is not a batch, or if no tile has whole arrays.
std::optional<candidate> small_arrays_inplace(problem const& refitted, alignment const& aligned, gpu_model const& gpu);

/// Both passes of a GPU over rectangles, without the copies of the saved parts.
struct gpu_passes {
  rectangle_passes passes;
  panels_plan panel;
  std::optional<step> runs;  ///< the pass that exchanges runs; empty if the panels do everything
  double seconds = 0;        ///< expected time of both passes
};

/// The passes with the copies of the saved parts. Returns nothing if they are expected to take `limit` seconds or more.
std::optional<candidate> with_copies(gpu_passes const& planned, alignment const& aligned, gpu_model const& gpu,
                                     double limit = std::numeric_limits<double>::infinity());

/// Plans both passes of a given cut. Returns nothing if a panel does not fit into the GPU's shared memory.
std::optional<gpu_passes> plan_passes(placed_exchange const& whole, rectangle_cut const& cut, bool swaps_first,
                                      alignment const& aligned, gpu_model const& gpu);

/// Plans one launch that transposes the slots of panels and exchanges them, for a cut that leaves no rows or columns. Returns
/// nothing if the kernel cannot do it.
std::optional<gpu_passes> plan_exchanging(placed_exchange const& whole, rectangle_cut const& cut, slot_exchange exchange,
                                          alignment const& aligned, gpu_model const& gpu);

/// The fastest ways of a GPU to exchange the sides of rectangles by chunks of the longer side. Within each chunk the exchange is
/// a panel, and the chunks are exchanged as boxes. Returns up to two plans: the chunks of one fill the longer side, and the other
/// saves the remaining indices in a workspace of at most `most_workspace` bytes. Returns none if panels or boxes do not fit into
/// the shared memory of a cluster.
std::vector<gpu_passes> gpu_skinny(placed_exchange const& whole, alignment const& aligned, gpu_model const& gpu,
                                   std::int64_t most_workspace);

}  // namespace cornerturn
