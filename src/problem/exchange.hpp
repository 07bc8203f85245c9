#pragma once

#include <compare>
#include <cstdint>

namespace cornerturn {

/// An exchange of two groups of neighbouring modes in place: a dense array of extents (batch, rows, between, columns, run)
/// becomes one of extents (batch, columns, between, rows, run). Each member is the product of the extents of a group.
struct exchange {
  std::int64_t batch = 1, rows = 1, between = 1, columns = 1, run = 1;
  auto operator<=>(exchange const&) const = default;

  std::int64_t elements() const { return batch * rows * between * columns * run; }
};

}  // namespace cornerturn
