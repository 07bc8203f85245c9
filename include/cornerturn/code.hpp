#pragma once

#include "cornerturn/cxx20.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cornerturn/error.hpp"
#include "cornerturn/explain.hpp"
#include "cornerturn/export.h"
#include "cornerturn/layout.hpp"

namespace cornerturn {

/// The memory requests of lines of CUDA C++. Its rung is "code", and its files are "code" with the line within it.
struct code_explanation : explanation {
  std::string code;   ///< the lines, as given
  std::string block;  ///< the threads of a block along x, y and z, e.g. "32 x 8"
};

/// An error at a character of a text. Its value is the quoted line.
class CORNERTURN_API code_error : public error {
 public:
  code_error(refused_argument refused, std::string text, int column)
      : error(std::move(refused), std::move(text)), column_(column) {}
  int column() const noexcept { return column_; }  ///< the place of the character in the error's value, from 1

 private:
  int column_;
};

/// A better layout of an array in shared memory, for all accesses of a code together.
struct code_suggestion : layout_suggestion {
  std::string array;                  ///< its name, e.g. "tile"
  std::size_t index = 0;              ///< of the array among those of the code, which may have equal names
  std::int64_t given_wavefronts = 0;  ///< wavefronts with the given layout
  std::int64_t given_elements = 0;    ///< shared memory with the given layout, in elements
  std::optional<layout_padding> tma;  ///< the best swizzle that TMA and wgmma have, if `layout` has another one
};

/// Counts the accesses of lines of CUDA C++: declarations, definitions of integers, loops, branches, assignments and accesses, or
/// of a whole kernel. They run for each thread of one block, without a GPU.
///
///     __shared__ float tile[32][33];
///     float* in;
///     dim3 block(32, 8);
///     for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(threadIdx.y + j) * 1024 + threadIdx.x];
///
/// An array is in shared memory, unless it is declared __device__ or another one is declared __shared__; a pointer points to
/// global memory. A tensor of CuTe is "__shared__ half s : (64,64):(64,1)", its element s(i, j), and so is a tile with a layout
/// of Triton, "__shared__ half s : [64, 64], NVMMASharedLayout(128, 16)". Blocks are at index 0.
/// A tensor of TMA is declared as the array that its map describes, "__device__ half map[4096][4096]"; the box of
/// "tma_load(&tile, &map, x, y)" has the last extents of the tile. Memory begins at a multiple of 256 bytes, or with "alignas(4)
/// float* in;" at an address that is aligned to exactly 4 bytes.
///
/// Throws `code_error` for what is not read, for an address or a condition that depends on values that
/// are not known, for an index outside of its array, and for a block of more than 1024 threads.
CORNERTURN_API code_explanation explain_code(std::string_view code);

/// Searches the least padding and the best swizzle of each array in shared memory, for the fewest wavefronts of all its accesses.
/// Arrays that no access with bank conflicts uses are left out. An array that TMA copies boxes to gets TMA's swizzles only.
/// Throws `error` as `explain_code` does.
///
/// ```cpp
/// for (auto const& found : cornerturn::suggest_code("__shared__ float tile[32][32]; tile[threadIdx.x][0];"))
///   std::cout << found.cuda_code << '\n';
/// ```
CORNERTURN_API std::vector<code_suggestion> suggest_code(std::string_view code);

/// Counts the accesses of a code as if its arrays had the suggested layouts.
CORNERTURN_API code_explanation explain_suggested_code(std::string_view code, std::vector<code_suggestion> const& found);

/// Formats an explanation as text of at most 80 columns, as `report_of` does for a rung.
CORNERTURN_API std::string report_of(code_explanation const& explained);

/// Draws each array and the requests as an SVG picture.
CORNERTURN_API std::string picture_of(code_explanation const& explained);

}  // namespace cornerturn
