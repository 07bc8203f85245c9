#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "block/recording.hpp"
#include "code/syntax.hpp"
#include "layout/layout.hpp"

namespace cornerturn {

/// The copies by TMA from or to an array in shared memory.
enum class tma_copies { none, boxes, bytes };

/// An array of a code, or the memory that a pointer points to.
struct code_array {
  std::string name, type;
  value_type of;
  memory_space space = memory_space::shared;
  bool in_registers = false;
  std::vector<std::int64_t> extents = {};        ///< as declared; the first one is 0 if it is not given; empty for a pointer
  std::optional<layout_expression> layout = {};  ///< of elements, if all extents are known
  bool has_notation = false;                     ///< the layout is given in the notation of CuTe or Triton
  std::uint64_t base = 0;                        ///< address in bytes
  int lead = 0;                                  ///< bytes of the base after a multiple of 256
  tma_copies copies = tma_copies::none;
};

/// An access in a code.
struct code_site {
  std::size_t begin, end;  ///< position in the code
  std::size_t array;       ///< index of the array
  bool store = false, async = false;
};

/// What the threads of a block access.
struct code_run {
  std::array<int, 3> block{32, 1, 1};  ///< threads along x, y and z
  std::vector<code_array> arrays;
  std::vector<code_site> sites;  ///< in the order in which the threads get there
  recording record;              ///< the accesses of warps, inactive lanes included; a place's line is the index of the site + 1
  int threads() const { return block[0] * block[1] * block[2]; }
};

/// Runs a code thread by thread. Values in memory are not known, so addresses, conditions and the bounds of loops may not depend
/// on them. Throws `error` with the place of the character for these, for indices outside of an array, for a block of more than
/// 1024 threads, and for more than 2^18 accesses.
code_run run_code(program const& code);

/// The values of expressions of `lane`, one per lane of a warp: one expression for all lanes, or one each. Empty for null.
std::array<std::optional<std::int64_t>, 32> lane_values(std::string_view argument, std::string_view text,
                                                        std::span<code_node::pointer_type const> expressions);

}  // namespace cornerturn
