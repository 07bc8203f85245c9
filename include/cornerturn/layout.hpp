#pragma once

#include "cornerturn/cxx20.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cornerturn/explain.hpp"
#include "cornerturn/export.h"

namespace cornerturn {

/// An access to a tile, with the thread and value layouts of CuTe's make_tiled_copy in CuTe's notation: `threads` maps
/// coordinates of the tile to thread indices, `values` to the indices of a thread's values. Or `threads` is a layout of Triton,
/// "BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])", a DistributedLinearLayout or a LinearLayout, and `values` is empty.
struct tiled_access {
  std::string threads = {}, values = {};
  /// Bytes of one access, at most 16: values with consecutive indices. 0: one element; with a layout of Triton, the widest
  /// access.
  int vector = 0;
};

/// A layout, and the accesses to its tile.
struct layout_options {
  /// In CuTe's notation, e.g. "Swizzle<3,2,6> o (64,64):(1,64)", or as cute::print writes it or a tensor; or a shared layout of
  /// Triton with its shape, "[64, 64], SwizzledSharedLayout(8, 1, 8, [1, 0])".
  std::string layout;
  tiled_access store = {};  ///< the access that writes the tile; empty `threads`: no store is counted, only the load
  tiled_access load = {};   ///< the access that reads the tile; empty `threads`: no load is counted
  int element_size = 0;     ///< 1, 2, 4, 8 or 16 bytes; 0: the size of the pointer's type in `layout`, else 4
  std::optional<memory_space> space = std::nullopt;  ///< the memory that the tile is in; empty: either may be meant
  /// 1, 2 or 4: ldmatrix with this number of matrices reads the tile, and `load` must be empty; 0: `load` reads the tile.
  int ldmatrix = 0;
  bool tma_swizzles = false;  ///< true: `suggest_layout` tries no padding, and only the swizzles that TMA and wgmma have
};

/// A padded layout.
struct layout_padding {
  std::string layout;           ///< in CuTe's notation
  std::string cuda_code;        ///< as `layout_suggestion::cuda_code`
  std::int64_t wavefronts = 0;  ///< wavefronts of store and load together
  std::int64_t elements = 0;    ///< shared memory of the tile, in elements
};

/// The layout that `suggest_layout` found.
struct layout_suggestion {
  std::string layout;                     ///< in CuTe's notation
  std::string code;                       ///< a C++ statement for CuTe
  std::string cuda_code;                  ///< the tile in CUDA C++ without CuTe: an array, and how an element is indexed
  std::optional<layout_padding> padding;  ///< the best padding, if a swizzle is suggested and a padding has an effect, too
  std::int64_t wavefronts = 0;            ///< wavefronts of store and load together
  std::int64_t ideal_wavefronts = 0;      ///< wavefronts of store and load without bank conflicts
  std::int64_t elements = 0;              ///< shared memory of the tile, in elements
  int tma_swizzle = 0;  ///< the layout's swizzle as a mode of TMA and wgmma, in bytes: 32, 64 or 128; 0: not such a mode
  std::string rearrange_code = {};  ///< the call of Python's rearrange that stores an array in such tiles, if it has the swizzle
  std::string cute_dsl_code = {};   ///< a Python statement for CuTe DSL
  std::string gluon_code = {};      ///< a statement for Triton's Gluon; empty if Gluon does not have the layout
};

/// A performance problem of a layout.
struct layout_finding : finding {
  std::optional<memory_space> space;  ///< the memory in which the tile must be for the problem to occur; empty: either
};

/// The counts of the accesses to a tile. Each instruction has wavefronts, as if the tile were in shared memory, and sectors, as
/// if it were in global memory. An access with misaligned or non-contiguous vectors has no counts and no samples, but a finding.
/// If `space` is given, reports, pictures and pages show that memory only.
struct layout_explanation {
  std::string layout;                            ///< the parsed layout, as cute::print writes it
  std::int64_t elements = 0;                     ///< cosize of the layout, in elements
  std::vector<memory_instruction> instructions;  ///< the store and the load, if they are given
  std::vector<layout_finding> findings;
  int element_size = 0;               ///< bytes
  std::string addresses;              ///< addresses given instead of a layout; `layout`, `elements` and `tile` are then empty
  tile_map tile;                      ///< rows: the first mode; columns: the other modes
  std::optional<memory_space> space;  ///< the memory of `layout_options`; the findings are of this memory only
  int ldmatrix = 0;                   ///< the matrices of `layout_options`; if above 0, the load has no sectors
};

/// Counts the accesses to a layout. Throws `error` for invalid notation, with the position of the character; for threads and
/// values that do not cover each element of their tile exactly once; and for sizes out of range.
CORNERTURN_API layout_explanation explain_layout(layout_options const& options);

/// One access of a warp, with any addresses.
struct address_options {
  /// Byte addresses: an expression of the integer `lane`, "lane*132", or up to 32 expressions with commas between them, one per
  /// lane from lane 0 on; "-" is an inactive lane. Operators: + - * / % & | ^ << >> and parentheses, with C's precedence.
  std::string addresses;
  int access = 4;                                    ///< bytes per lane: 1, 2, 4, 8 or 16
  bool store = false;                                ///< true: the access is a store, else a load
  std::optional<memory_space> space = std::nullopt;  ///< the memory that the addresses are in; empty: either may be meant
};

/// Counts the access of one warp. `element_size` of the result is `access`. Throws `error` for wrong expressions, with the
/// position of the character; for addresses that are negative or beyond an int, with the lane; and if no lane is active.
CORNERTURN_API layout_explanation explain_addresses(address_options const& options);

/// Searches paddings and swizzles of the layout, in place of its own swizzle, for the fewest wavefronts of both accesses. Throws
/// `error` as `explain_layout` does, and for a tile in global memory, a layout that does not fit into a block's shared memory,
/// and one that no padding or swizzle suits.
///
/// ```cpp
/// cornerturn::layout_options const tile{
///     .layout = "(32,32):(1,32)", .store = {.threads = "(32,32):(32,1)"}, .load = {.threads = "(32,32):(1,32)"}};
/// std::cout << cornerturn::suggest_layout(tile).cuda_code << '\n';
/// ```
CORNERTURN_API layout_suggestion suggest_layout(layout_options const& options);

/// Counts the accesses of `options` to a tile with the suggested layout.
CORNERTURN_API layout_explanation explain_suggestion(layout_options const& options, layout_suggestion const& found);

/// Draws a layout as an SVG picture: the tile, coloured by bank and numbered by thread; one request of each access by banks, and
/// by sectors as if the tile were in global memory. `options` are the ones that `given` and `found` were made from. The suggested
/// layout is drawn below, if it differs.
CORNERTURN_API std::string picture_of(layout_options const& options, layout_explanation const& given,
                                      std::optional<layout_suggestion> const& found);

}  // namespace cornerturn
