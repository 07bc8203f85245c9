#pragma once

namespace cornerturn {

inline constexpr int kWarp = 32;
inline constexpr int kUnitBytes = 16;              ///< the widest access of one thread, and what cp.async copies
inline constexpr int kSectorBytes = 32;            ///< the piece in which global memory moves
inline constexpr int kLineBytes = 128;             ///< a cache line: four sectors
inline constexpr int kBanks = 32, kBankBytes = 4;  ///< of shared memory

}  // namespace cornerturn
