#pragma once

#include <string>
#include <vector>

#include "cornerturn/explain.hpp"

namespace cornerturn {

/// What is known of an instruction beyond its counts.
struct remark {
  std::string advice;            ///< what helps against its bank conflict; empty: padding or a swizzle
  bool useless_swizzle = false;  ///< the tile's swizzle changes nothing for it
  bool impossible = false;       ///< no GPU does such an access, so its counts say nothing
  std::string why_no_vectors;    ///< empty: nothing forbids them
};

/// One digit behind the point, unless it is 0.
std::string decimal(double value);

/// The problems that the counts of a kernel's instructions show, a sentence each, with what to do about it.
std::vector<finding> findings_of(std::vector<memory_instruction> const& instructions, std::vector<remark> const& remarks = {});

}  // namespace cornerturn
