#pragma once

#include <cstdint>
#include <string_view>

#include "problem/problem.hpp"

namespace cornerturn {

inline constexpr int kMaxRank = 64;

/// A range of bytes, relative to the pointer handed in: low is the first one touched, high is one past the last.
struct byte_range {
  std::int64_t low = 0, high = 0;
  bool operator==(byte_range const&) const = default;
};

/// The bytes that a problem reads, and those that it writes; empty where an extent is 0. Throw `error` past 64 bits.
byte_range source_range(problem const& p);
byte_range destination_range(problem const& p);

/// Throws `error` for an element size below 1, more than 64 modes and a negative extent; and, where there is something to move,
/// for more bytes than 64 bits count, byte offsets past 64 bits, and destinations in which two indices might write one place: the
/// modes, sorted by the magnitude of their destination strides, must each step past the span of those before. That is enough, and
/// cheap to know; it refuses a few destinations whose modes interleave without meeting.
void validate(problem const& p);

/// Throws `error` for more bytes than so many bits count, and for bytes of either side so far from its pointer. Such memory does
/// not exist, and what is planned for less is counted in 64 bits without overflow. Expects a problem that `validate` accepts.
void refuse_beyond(problem const& p, int bits, std::string_view processor);

/// Throws `error` for a null pointer where there is something to move, and where the range of addresses read meets the one
/// written. Expects a problem that `validate` accepts, or its ranges.
void refuse_overlap(problem const& p, void const* source, void const* destination);
void refuse_overlap(byte_range const& read, byte_range const& written, void const* source, void const* destination);

}  // namespace cornerturn
