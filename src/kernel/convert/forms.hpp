#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernel/tiled/job.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

inline constexpr int kConvertThreads = 256;

/// The forms of the compiled `convert` kernels. A plan has the first one that its tile allows.
enum class convert_form {
  squares,        ///< vectors on both sides, transposed in registers and in shared memory
  rows,           ///< vectors on both sides, whose elements are contiguous on both
  store_vectors,  ///< single elements of the source, vectors of the destination
  elements        ///< single elements on both sides
};
inline constexpr std::array kTypedForms{convert_form::squares, convert_form::rows, convert_form::store_vectors,
                                        convert_form::elements};
/// The forms of the kernels that select the types at run time.
inline constexpr std::array kSelectingForms{convert_form::squares, convert_form::rows, convert_form::elements};

/// The forms of the kernels for scale and bias: with types that the compiler knows, and with types selected at run time.
inline constexpr std::array kAffineForms{convert_form::rows, convert_form::store_vectors, convert_form::elements};
inline constexpr std::array kSelectingAffineForms{convert_form::elements};

/// False for the forms of source elements of 16 bytes that always fit another form.
constexpr bool is_needed(convert_form form, std::int64_t source_size) {
  return source_size < 16 || form == convert_form::squares || form == convert_form::rows;
}

/// The accesses of a form, for elements of these sizes. Vectors have 16 bytes on the side of the larger elements.
constexpr tiled_widths widths_of(convert_form form, element_sizes const& sizes) {
  int const load = int(16 / sizes.source), store = int(16 / sizes.larger());
  int const rows = sizes.source == 1 || sizes.source == 4 ? 4 : sizes.source == 16 ? 1 : 2;
  switch (form) {
    case convert_form::squares:
      return {load, rows, store};
    case convert_form::rows:
      return {load, 1, store};
    case convert_form::store_vectors:
      return {1, 1, store};
    case convert_form::elements:
      break;
  }
  return {1, 1, 1};
}

/// The groups of loads of one thread.
constexpr int loads_of(tiled_widths const& widths, std::int64_t source_size) {
  constexpr int kMost = 8;
  return std::min(kMost, kTiledBytesPerThread / (widths.load * widths.rows * int(source_size)));
}

/// The bytes of the source that a block holds.
constexpr std::int64_t tile_bytes_of(tiled_widths const& widths, std::int64_t source_size) {
  return kConvertThreads * loads_of(widths, source_size) * widths.load * widths.rows * source_size;
}

}  // namespace cornerturn
