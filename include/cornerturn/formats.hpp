#pragma once

#include "cornerturn/cxx20.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cornerturn/export.h"
#include "cornerturn/index_list.hpp"
#include "cornerturn/rearrange.hpp"

// Layouts with names: to pack an array is to rearrange it by the layout's pattern, to unpack it is the inverse.

namespace cornerturn {

/// The length of an axis of a format.
struct format_length {
  std::string name;       ///< of the axis, e.g. "x"
  std::int64_t value;     ///< e.g. 16; 0: the caller gives it
  bool in_bytes = false;  ///< true if `value` counts bytes, so that an axis of 16 bytes has 8 elements of 2 bytes
};

/// A layout with a name.
struct layout_format {
  std::string name;                         ///< e.g. "block_scales_32x4x4"
  std::string pattern;                      ///< from the array to the layout, e.g. "(m a b) (k c) -> m k b a c"
  std::vector<format_length> lengths = {};  ///< of axes of the pattern
  bool padded = false;                      ///< true if axes that splits do not divide are padded with zeros
  int bits = 8;                             ///< of a packed element, as in `rearrange_options`; 8: elements of whole bytes
  std::string swizzle = {};                 ///< of the tiles of the layout, as in `rearrange_options`
  bool by_shape = false;                    ///< true if the pattern depends on the extents: unpacking needs the shape
  std::string description = {};             ///< a sentence
  std::string source = {};                  ///< who defines the layout
};

/// A format for one array: what `rearrange` gets.
struct format_call {
  struct length {
    std::string name;
    std::int64_t value;
  };
  std::string pattern;
  std::vector<length> lengths;
  bool padded;
  int bits;
  std::string swizzle = {}, source_swizzle = {};

  /// The lengths as `rearrange` takes them. They refer to this object.
  CORNERTURN_API std::vector<axis_length> axis_lengths() const;
};

/// The names of all formats, those of the library first.
CORNERTURN_API std::vector<std::string> format_names();

/// Throws `error` for a name that no format has; the message has similar ones.
CORNERTURN_API layout_format format_of(std::string_view name);

/// Adds a format to those of the process. Throws `error` for a name that is empty or taken, a pattern that does not follow the
/// grammar, a length that is negative or of a name that the pattern lacks, other bits than 8, 4, 2 or 1, and a swizzle that `rearrange`
/// refuses.
CORNERTURN_API void register_format(layout_format format);

/// What brings an array of this shape to a format. `given` has lengths besides those of the format, or instead of them. An
/// element has `element_bits` bits, 1 or more. Throws `error` if a length in bytes is no multiple of an element, and if one is missing.
///
/// ```cpp
/// std::vector<std::uint8_t> scales(300 * 10, 1), tiles(3 * 3 * 512);
/// auto const call = cornerturn::packing("block_scales_32x4x4", {300, 10}, 8);
/// std::uint8_t const zero = 0;
/// cornerturn::rearrange(scales.data(), tiles.data(), call.pattern, {300, 10}, 1, call.axis_lengths(), {.pad = &zero});
/// ```
CORNERTURN_API format_call packing(std::string_view name, index_list shape, std::int64_t element_bits,
                                   std::span<axis_length const> given = {});

/// What brings an array from a format back. `shape` is the shape of the array before it was packed.
CORNERTURN_API format_call unpacking(std::string_view name, index_list shape, std::int64_t element_bits,
                                     std::span<axis_length const> given = {});

}  // namespace cornerturn
