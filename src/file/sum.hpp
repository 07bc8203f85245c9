#pragma once

#include <cstdint>

namespace cornerturn {

/// A sum of bytes that begin at byte `offset` of a file. Every byte counts by its value and its place. The sum of a file is the
/// sum of its parts, modulo 2^64, so a part can be subtracted and added again. Files that differ by accident have different sums,
/// except for one pair in many millions. The sum does not protect against an attacker.
std::uint64_t sum_of(std::int64_t offset, void const* bytes, std::int64_t count);

}  // namespace cornerturn
