#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cornerturn/explain.hpp"
#include "cornerturn/export.h"

namespace cornerturn {

/// How threads and their values cover a tile, both in CuTe's notation, with the meaning that they have in make_tiled_copy: a
/// layout from the tile's coordinates to the thread's number, and one to the number of the value within a thread.
struct tiled_access {
  std::string threads, values;
  int vector = 0;  ///< bytes of one access, at most 16: values whose numbers follow each other; 0: one element
};

struct layout_options {
  std::string layout;    ///< in CuTe's notation, e.g. "Swizzle<3,2,6> o (64,64):(1,64)", or as cute::print writes it
  tiled_access store;    ///< how the tile is written
  tiled_access load;     ///< how it is read; its threads empty: not looked at
  int element_size = 4;  ///< 1, 2, 4, 8 or 16 bytes
};

/// A layout that was found to be better.
struct layout_suggestion {
  std::string layout;                 ///< in CuTe's notation
  std::string code;                   ///< C++ to paste
  std::int64_t wavefronts = 0;        ///< of store and load together
  std::int64_t ideal_wavefronts = 0;  ///< what they would be without a conflict
  std::int64_t elements = 0;          ///< of shared memory that the tile takes
};

/// What accesses to a tile cost. Each of the two instructions is counted as if the tile lay in shared memory (wavefronts) and as
/// if it lay in global memory (sectors). One whose vectors are misaligned or torn, as a finding says then, has neither, and no
/// samples.
struct layout_explanation {
  std::string layout;  ///< as it was understood, in the notation of cute::print
  std::int64_t elements = 0;
  std::vector<memory_instruction> instructions;  ///< the store, then the load if there is one
  std::vector<finding> findings;
  int element_size = 0;
  tile_map tile;  ///< rows: the first mode; columns: the others
};

/// Counts what a layout costs. Throws `error` where the notation is wrong, which names the character; where threads and values do
/// not cover each element of their tile once; for sizes out of range.
CORNERTURN_API layout_explanation explain_layout(layout_options const& options);

/// Looks for the cheapest padding or swizzle of the layout (its own swizzle is left out first) for both accesses.
CORNERTURN_API layout_suggestion suggest_layout(layout_options const& options);

/// An SVG picture: the tile with its cells coloured by bank and numbered by thread, the banks of a request of each access,
/// and its sectors if the tile lies in global memory.
CORNERTURN_API std::string picture_of(layout_explanation const& explained);

}  // namespace cornerturn
