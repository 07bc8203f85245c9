#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "pattern/sides.hpp"
#include "problem/packed_matrices.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// A box of packed elements, in bytes.
struct packed_box {
  problem bytes;                            ///< a copy, if elements that share a byte stay together
  std::optional<packed_matrices> matrices;  ///< else; they begin at the offsets of `bytes`
};

/// A move of packed elements as boxes that have whole bytes on both sides.
struct packed_boxes {
  std::vector<packed_box> copied;
  std::vector<problem> padded;  ///< of bytes that have pads; they read one byte

  bool has_matrices() const;
};

/// Returns boxes in which each byte of a side holds elements of one mode, and all other modes keep bytes whole. Returns nothing
/// if there are none; then elements are moved one by one.
std::optional<packed_boxes> packed_boxes_of(pattern_move const& move, bit_packing const& packed);

/// A byte whose elements all are the lowest bits of `pad`.
std::byte repeated(std::byte pad, bit_packing const& packed);

}  // namespace cornerturn
