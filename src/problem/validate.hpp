#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "cornerturn/index_list.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// A range of bytes relative to the caller's pointer: low is the first byte touched, high is one past the last.
struct byte_range {
  std::int64_t low = 0, high = 0;
  bool operator==(byte_range const&) const = default;
};

/// The bytes that a problem reads, and the bytes that it writes; empty if an extent is 0. Throw `error` on overflow of 64 bits.
byte_range source_range(problem const& p);
byte_range destination_range(problem const& p);
/// The bytes that a problem reads from its operation's scale, and equally from its bias; empty if it has neither. Throws `error`
/// on overflow of 64 bits.
byte_range factor_range(problem const& p);

/// Throws `error` for an element size below 1, more than 64 modes and a negative extent. If there is something to move, it also
/// throws for sizes and byte offsets beyond 64 bits, and for destinations where two indices might write one address: with modes
/// sorted by the magnitude of their destination strides, each stride must exceed the span of the modes before it. This condition
/// is sufficient and cheap; it refuses a few valid destinations, whose modes interleave without overlap.
void validate(problem const& p);

/// Throws `error` for destinations that `validate` refuses. Expects a problem whose `destination_range` is within 64 bits.
void expect_no_overlap(problem const& p);

/// Throws `error` if a problem has more than 2^bits bytes, or if a side reaches farther than this from its pointer. No processor
/// has so much memory, and planning smaller problems does not overflow 64 bits. Expects a problem that `validate` accepts.
void refuse_beyond(problem const& p, int bits, std::string_view processor);

/// Throws `error` for more modes than kMaxRank.
void expect_rank(std::size_t rank);

/// Throws `error` for a null pointer. It is called if there is something to move.
void refuse_null(std::string_view name, void const* pointer);

/// A mode whose destination stride does not exceed the span of the modes with smaller strides.
struct overlapping_mode {
  std::size_t number;
  std::int64_t span;  ///< elements
};

/// The first overlapping mode in ascending order of strides, if there is one. Expects a problem whose `destination_range` is
/// within 64 bits.
std::optional<overlapping_mode> find_overlapping_mode(problem const& p);

/// The bytes of an array that a call accesses, relative to an address, which may be null.
struct named_bytes {
  std::string_view name;  ///< in messages
  void const* address;
  byte_range range;
};

/// Throws `error` if the address ranges of two arrays overlap. An array that is null or has no bytes overlaps nothing.
void refuse_overlap(named_bytes const& given, named_bytes const& other);

/// Throws `error` for a null pointer if there is something to move, and if the address ranges read and written overlap. Expects a
/// problem that `validate` accepts, or its ranges.
void refuse_overlap(problem const& p, void const* source, void const* destination);
void refuse_overlap(byte_range const& read, byte_range const& written, void const* source, void const* destination);

}  // namespace cornerturn
