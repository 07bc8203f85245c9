#pragma once

#include "cornerturn/cxx20.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cornerturn/element_operation.hpp"
#include "cornerturn/export.h"
#include "cornerturn/index_list.hpp"
#include "cornerturn/plan.hpp"
#include "cornerturn/processor.hpp"

// Patterns have the grammar of einops: "b (h p) (w q) c -> (b h w) (p q c)". The left side names the axes of the source, the
// right side those of the result; both have the same names. An axis is
// - a name: letters, digits and _, with a letter in front and no _ at its end,
// - names in parentheses, for an axis that consists of these axes; the last one is the innermost,
// - 1 or (), for an axis of extent 1,
// - ..., for all axes that are not named; on the right it may stand in parentheses.
// The axes after a | on a side are a tile of it, for `swizzle` and `source_swizzle`.

namespace cornerturn {

/// The length of an axis that a pattern names, e.g. {"p", 16}.
struct axis_length {
  std::string_view name;
  std::int64_t length;  ///< 0 or more
};

/// A pattern for arrays of one rank. The axes into which those of the source are split are numbered from left to right.
struct parsed_pattern {
  struct axis {
    std::vector<std::string> names;  ///< of the axes of which it consists, e.g. {"h", "p"}
    std::string text;                ///< in the pattern, e.g. "(h p)"
    std::int64_t index;              ///< of this text in the pattern, in characters, e.g. 2
    bool in_tile = false;            ///< true after a |
  };
  std::string text;                               ///< the pattern itself
  std::vector<axis> source;                       ///< the axes of the source
  std::vector<std::int64_t> order;                ///< the number of the split axis for each axis of the permuted array
  std::vector<std::vector<std::int64_t>> result;  ///< for each axis of the result, the numbers of the split axes in it
  int result_tile = 0;                            ///< number of the last axes of the result that are after a |
};

/// Throws `error` unless a pattern follows the grammar.
CORNERTURN_API void expect_pattern(std::string_view pattern);

/// True if a pattern names an axis so. Throws as `expect_pattern` does.
CORNERTURN_API bool has_axis(std::string_view pattern, std::string_view name);

/// Reads a pattern for arrays of `rank` axes; the axes named in `given` have lengths. Throws `error` for a pattern that does not
/// follow the grammar or does not have this rank, for more than 64 split axes, for parentheses on the left in which several names
/// have no length, and for a given name that the pattern lacks.
CORNERTURN_API parsed_pattern parse_pattern(std::string_view pattern, int rank, std::span<std::string_view const> given = {});

/// What a pattern does with an array of a shape: each axis, padded if it must be, is split, the split axes are permuted, and
/// neighbours are merged.
struct rearrangement {
  std::vector<std::int64_t> split;  ///< the extents of the split axes, from left to right
  std::vector<int> split_counts;    ///< for each axis of the source, the number of axes into which it is split
  std::vector<std::int64_t> order;  ///< the number of the split axis for each axis of the permuted array
  std::vector<int> merged_counts;   ///< for each axis of the result, the number of axes of the permuted array in it
  std::vector<std::int64_t> shape;  ///< of the result
  int source_tile = 0;              ///< number of the last axes of the source that are after a |
  int result_tile = 0;              ///< number of the last axes of the result that are after a |
};

/// How the extents of a pattern may differ from those of the arrays.
struct rearrange_limits {
  bool padded = false;                   ///< a split that does not divide an axis is rounded up: the axis is padded at its end
  std::vector<std::int64_t> shape = {};  ///< of the result, whose axes may be shorter than the pattern's; empty: the pattern's
};

/// Binds a pattern to a shape and to lengths. In parentheses on the left, one name may have no length: its length follows from
/// the shape. The process keeps the results of recent calls. Throws `error` as `parse_pattern` does, for a shape that does not
/// fit, and for a length that is negative or given twice.
CORNERTURN_API std::shared_ptr<rearrangement const> rearrangement_of(std::string_view pattern, index_list shape,
                                                                     std::span<axis_length const> lengths = {},
                                                                     rearrange_limits const& limits = {});

/// The shape in elements of an array whose bytes hold 8 / bits packed elements of its last axis each, given the shape in bytes.
/// Throws `error` for a shape without axes, unless bits is 8, and for a last axis of 2^63 elements or more.
CORNERTURN_API std::vector<std::int64_t> shape_in_elements(index_list bytes, int bits);

/// The inverse, with which a result of packed elements is allocated. Throws `error` also if the last axis does not consist of
/// whole bytes.
CORNERTURN_API std::vector<std::int64_t> shape_in_bytes(index_list elements, int bits);

/// Which bits of a byte hold its first element, as in numpy.packbits.
enum class bit_order {
  little,  ///< the lowest bits
  big      ///< the highest bits
};

/// Options of `rearrange`. Strides count elements.
struct rearrange_options {
  std::vector<std::int64_t> source_strides = {};       ///< one per axis of the source; empty: dense, in C order
  std::vector<std::int64_t> destination_strides = {};  ///< one per axis of the result; empty: dense, in C order
  /// The address of an element of the result, in host memory. If it is not null, splits are rounded up as `rearrange_limits`
  /// says, and the result has this element where the source has none.
  void const* pad = nullptr;
  std::vector<std::int64_t> shape = {};  ///< of the result, as in `rearrange_limits`
  int bits = 8;                          ///< of an element; 4, 2 and 1 are for packed elements, below
  bit_order order = bit_order::little;   ///< of packed elements
  std::string swizzle = {};              ///< of the tiles of the result, e.g. "Sw<3,4,3>"; empty: none
  std::string source_swizzle = {};       ///< of the tiles of the source
  processor_kind processor = processor_kind::automatic;
  void* stream = nullptr;  ///< as in `copy_options`
  int device = -1;         ///< as in `copy_options`
  int threads = 0;         ///< as in `copy_options`
};

/// Splits, permutes and merges the axes of an array by a pattern. `shape` is the shape of the source, and `rearrangement_of` has
/// that of the result.
///
/// Packed elements have 4, 2 or 1 bits. `element` is then 1 byte, which holds 8 / bits elements of the last axis; the last axes
/// of both sides consist of whole bytes, and the other strides are multiples of 8 / bits. Unless each byte
/// has elements of one axis, a GPU moves them by way of a workspace of one or two bytes for each element.
///
/// A swizzle has CuTe's notation and permutes units of 16 bytes or more within each tile, which is dense: the byte offset x in a
/// tile becomes Sw<B,M,S>(x). The boundaries of its bits must divide the axes of the tile. It is an exclusive or, so the same
/// `source_swizzle` reads what a `swizzle` wrote.
///
/// The rules of `permute` for elements, pointers, memory and errors apply. Throws `error` also as `rearrangement_of` does, and
/// for an operation with scale or bias. On a GPU, an array that is padded, cropped or swizzled takes one launch, or several if
/// they are estimated to be faster or if tiles begin within a period of their swizzle.
///
/// ```cpp
/// std::vector<float> image(480 * 640 * 3), patches(image.size());
/// std::vector<cornerturn::axis_length> const lengths{{"p", 16}, {"q", 16}};
/// cornerturn::rearrange(image.data(), patches.data(), "(h p) (w q) c -> (h w) (p q c)", {480, 640, 3}, sizeof(float), lengths);
/// ```
CORNERTURN_API void rearrange(void const* source, void* destination, std::string_view pattern, index_list shape,
                              elements const& element, std::span<axis_length const> lengths = {},
                              rearrange_options const& options = {});

/// Plans a `rearrange`. The processor, the device and the threads are those of `where`, which has no strides; `options` has the
/// others.
///
/// Throws `error` as `rearrange` and `plan` do, for packed elements, and for elements that change while they are padded, cropped
/// or swizzled.
///
/// ```cpp
/// float const zero = 0;
/// auto const padded = cornerturn::plan_rearrange("(h p) (w q) -> h w p q", {470, 630}, sizeof(float), lengths, {.pad = &zero});
/// ```
CORNERTURN_API permutation_plan plan_rearrange(std::string_view pattern, index_list shape, elements const& element,
                                               std::span<axis_length const> lengths = {}, rearrange_options const& options = {},
                                               plan_options const& where = {});

}  // namespace cornerturn
