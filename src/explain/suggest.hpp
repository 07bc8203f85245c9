#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "explain/tiled.hpp"
#include "layout/layout.hpp"

namespace cornerturn {

/// The shared memory that one block may use on compute capability 9.0, in bytes: the limit of a tile for a suggestion.
constexpr std::int64_t kBlockBytes = 227 << 10;

/// The candidates of a suggestion: all swizzles and paddings, only the swizzles of TMA and wgmma, or only paddings.
enum class swizzles { any, tma, none };

/// Suggests the layout with the fewest wavefronts for all patterns: the given one, plain, swizzled or padded. Ties go to the
/// least memory, then to the simplest layout. The given layout without its swizzle must be a single layout that fits into a
/// block's shared memory.
struct suggested {
  layout_expression layout;
  std::int64_t wavefronts;
};
/// Nothing if no layout keeps the vectors contiguous.
std::optional<suggested> find_suggestion(layout_expression const& given, std::vector<pattern> const& patterns, swizzles tried);
/// Throws `error` in this case.
suggested suggest(layout_expression const& given, std::vector<pattern> const& patterns, swizzles tried = swizzles::any);

/// The best layout without a swizzle; nothing if no padding has fewer wavefronts than the plain layout.
std::optional<suggested> suggest_padding(layout_expression const& given, std::vector<pattern> const& patterns);

/// The mode of TMA and wgmma whose swizzle a layout has, in bytes: 32, 64 or 128, which are Swizzle<1,4,3>, <2,4,3> and <3,4,3>
/// of byte addresses. 0 for a layout without a swizzle and for any other swizzle.
int tma_mode_of(layout_expression const& layout, int element_size);

/// The same, but 0 if a row is longer than the mode: TMA and wgmma have no such tile.
int tma_swizzle_of(layout_expression const& layout, int element_size);

/// The line of code that names a mode for a tensor map, "\n// TMA: CU_TENSOR_MAP_SWIZZLE_128B, …"; empty for 0.
std::string tma_comment(int swizzle_bytes);

/// Pads a layout: each stride of `wide` or more grows by `pad` elements for every `wide` elements in it.
strided_layout padded(strided_layout const& layout, std::int64_t wide, std::int64_t pad);

/// The strides of the layout's modes that are greater than 1.
std::set<std::int64_t> wide_strides(strided_layout const& layout);

/// The call of Python's rearrange that stores an array in tiles of a swizzled layout; empty if rearrange does not have the
/// layout. It has swizzles of units of 16 bytes or more, of dense tiles whose extents are powers of two.
std::string rearrange_code_of(layout_expression const& layout, int element_size);

/// The C++ expression that makes a plain or swizzled layout with CuTe.
std::string code_of(layout_expression const& layout);

}  // namespace cornerturn
