#pragma once

#include <string>
#include <vector>

#include "cornerturn/explain.hpp"

namespace cornerturn {

/// Facts about an instruction that its counts do not show.
struct remark {
  std::string advice;            ///< what to do about a bank conflict; empty: padding or a swizzle
  bool useless_swizzle = false;  ///< the tile's swizzle does not change its wavefronts
  bool swizzled = false;         ///< the tile is swizzled
  bool impossible = false;       ///< no GPU supports the access, so its counts have no meaning
  std::string padding;           ///< the padding of a row that separates lanes, e.g. "4 bytes (1 element)"; empty: not known
  int widest = 0;                ///< bytes of the widest access to the same array; 0: not known
  std::string why_no_vectors;    ///< the reason against 16-byte vectors; empty: none
  std::string why_idle = "tiles extend beyond the matrix";  ///< the reason for inactive lanes
};

/// The performance problems that the counts of a kernel's instructions show. Each has one sentence, which says what to do.
std::vector<finding> findings_of(std::vector<memory_instruction> const& instructions, std::vector<remark> const& remarks = {});

/// The same of code that is not the library's, whose lanes are inactive for reasons of its own.
std::vector<finding> findings_of_own_code(std::vector<memory_instruction> const& instructions, std::vector<remark> remarks = {});

}  // namespace cornerturn
