#pragma once

#include <cstddef>
#include <cstdint>

namespace cornerturn {

inline constexpr std::int64_t kCacheLine = 64;    ///< bytes
inline constexpr std::int64_t kVectorBlock = 16;  ///< bytes of a vector within which its lookups and interleaves stay
inline constexpr std::int64_t kLongCopy = 512;    ///< bytes of a run that is worth a call of memcpy
inline constexpr std::int64_t kPage = 4096;       ///< bytes of the smallest page of memory
inline constexpr int kCpuAddressBits = 57;        ///< bits of an address, the most that a CPU's page tables have

/// The unit in which memory for images is allocated.
struct alignas(kCacheLine) cache_line {
  std::byte bytes[kCacheLine];
};

}  // namespace cornerturn
