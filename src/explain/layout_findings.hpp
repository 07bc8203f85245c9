#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cornerturn/layout.hpp"
#include "explain/findings.hpp"
#include "explain/tiled.hpp"
#include "layout/layout.hpp"

namespace cornerturn {

/// One access pattern on a layout's tile.
struct tile_access {
  std::string prefix;              ///< prefix of its options' names
  std::optional<tiled_copy> copy;  ///< empty for ldmatrix and for a layout of Triton
  pattern moved;
  bool is_ldmatrix = false;
};

/// Counts the requests of a pattern in a memory space where the tile has this layout.
memory_instruction count(pattern const& moved, layout_expression const& layout, memory_space space);

/// The counts of an instruction in shared memory, with the sectors that it has in global memory.
memory_instruction with_sectors_of(memory_instruction shared, memory_instruction const& global);

/// Removes the cost and the samples of an instruction that no GPU supports, such as one with misaligned vectors.
memory_instruction without_cost(memory_instruction counted);

/// Removes the findings of the other memory; without a space, none.
void keep_findings_of(std::optional<memory_space> space, std::vector<layout_finding>& findings);

/// The layout without its outermost swizzles; empty if it has none.
std::optional<layout_expression> unswizzled(layout_expression const& layout);

/// The findings of instructions that are counted in shared and in global memory, with an index per instruction in all arguments.
std::vector<layout_finding> findings_of_both(std::vector<memory_instruction> const& shared,
                                             std::vector<memory_instruction> const& global, std::vector<remark> const& remarks);

/// The findings for each access pattern: with the tile in shared memory, in either memory, and in global memory.
std::vector<layout_finding> layout_findings(layout_expression const& layout, std::vector<tile_access> const& accesses);

}  // namespace cornerturn
