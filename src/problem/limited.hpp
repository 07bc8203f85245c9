#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "problem/canonical.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// The indices of an element along the two axes that a `limited_problem` may limit. As one number, they are a third layout of the
/// modes, `mode::factor_stride` and `problem::factor_offset`, which the canonical form keeps.
struct limited_indices {
  std::array<std::int64_t, 2> of_axis{};  ///< each of 31 bits and a sign

  static limited_indices from(std::int64_t number) {
    auto const low = std::int64_t(std::int32_t(std::uint32_t(std::uint64_t(number))));
    return {{low, (number - low) >> 32}};
  }
  std::int64_t as_number() const { return of_axis[0] + of_axis[1] * (std::int64_t(1) << 32); }
};

/// The indices of an axis from `end` on do not exist on one side.
struct index_limit {
  std::int64_t end = 0;
  bool of_source = true;  ///< else of the destination
  bool operator==(index_limit const&) const = default;
};

/// Flips the bits of `mask` in a byte offset where the bits `shift` places higher are set. CuTe's Sw<3,4,3> has the mask 0x70 and
/// the shift 3.
struct offset_swizzle {
  int shift = 0;
  int mask = 0;  ///< 0: none; units of at least 16 bytes stay together
  bool operator==(offset_swizzle const&) const = default;

  explicit operator bool() const { return mask != 0; }
  std::int64_t operator()(std::int64_t offset) const { return offset ^ (offset >> shift & mask); }
  /// The bytes after which the swizzle repeats, a power of two.
  std::int64_t period() const { return std::int64_t(std::bit_ceil(unsigned(mask) + 1)) << shift; }
};

/// A copy of bytes between two layouts of which some axes are shorter than the modes of which they consist. An element that only
/// the destination has becomes the pad, and one that the destination lacks does not move.
///
/// For example, 5 rows of 3 bytes are padded to 8 rows. The modes are {8, 3, 3, 1} and {3, 1, 1}, whose last numbers are the
/// `factor_stride`, and a limit of the source ends at 5.
struct limited_problem {
  static constexpr std::size_t kMostLimits = 2;
  problem whole;                                           ///< as if all indices existed
  std::vector<index_limit> limits;                         ///< of the axes of `limited_indices`
  std::array<std::byte, kLargestElement> pad{};            ///< the bytes of the pad, repeated
  offset_swizzle source_swizzle{}, destination_swizzle{};  ///< of offsets from the arrays' first bytes

  /// True if an element of this size, a part of the problem's, has the same bytes wherever it is in the pad.
  bool is_pad_of(std::int64_t element_size) const;
};

/// A problem that writes elements of a box, all of which are equal, in its destination's order: it reads what it writes.
problem written_in(problem box);

std::string to_string(limited_problem const& p);

/// What `describe` says of a problem, where its limits are, and which side is swizzled.
std::string describe(limited_problem const& p);

}  // namespace cornerturn
