#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernel/tiled/job.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

inline constexpr int kConvertThreads = 128;

/// The forms of the compiled `convert` kernels. A plan has the first one that its tile allows.
enum class convert_form { squares, vectors, store_vectors, elements };
inline constexpr int kConvertForms = 4;
/// The forms of the kernels that select the types at run time.
inline constexpr std::array kSelectingForms{convert_form::vectors, convert_form::elements};

/// The accesses of a form, for elements of these sizes. Vectors have 16 bytes on the side of the larger elements.
constexpr tiled_widths widths_of(convert_form form, element_sizes const& sizes) {
  int const load = int(16 / sizes.source), store = int(16 / sizes.larger());
  int const rows = sizes.source == 1 || sizes.source == 4 ? 4 : sizes.source == 16 ? 1 : 2;
  switch (form) {
    case convert_form::squares:
      return {load, rows, store};
    case convert_form::vectors:
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
