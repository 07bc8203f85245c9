#pragma once

namespace cornerturn {

inline constexpr int kWarp = 32;                   ///< threads
inline constexpr int kUnitBytes = 16;              ///< the widest access of one thread, and one cp.async copy
inline constexpr int kSectorBytes = 32;            ///< the unit in which global memory is transferred
inline constexpr int kLineBytes = 128;             ///< a cache line: four sectors
inline constexpr int kBanks = 32, kBankBytes = 4;  ///< shared memory's banks, and their width
inline constexpr int kWavefrontBytes = kBanks * kBankBytes;

}  // namespace cornerturn
