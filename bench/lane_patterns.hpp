#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "block/sizes.hpp"

/// Patterns of shared-memory accesses of one warp: the byte offset of each lane, -1 for an inactive lane.
namespace lane_patterns {

using cornerturn::kWarp, cornerturn::kWavefrontBytes;

inline constexpr int kSharedBytes = 32 << 10;
inline constexpr int kDrawn = 24;  // random patterns per element type, for loads and for stores

using offsets = std::vector<int>;

/// A random pattern of one of four kinds: strided, strided with inactive lanes, among few words, and among all words.
inline offsets drawn(int kind, int bytes) {
  static std::mt19937 chance(1);
  auto const below = [](int limit) { return int(chance() % unsigned(limit)); };
  int const words = kSharedBytes / bytes, stride = 1 + below(64), few = 2 + below(64), start = below(64);
  offsets result;
  for (int lane = 0; lane < kWarp; ++lane) {
    int const word = kind % 4 < 2 ? (start + lane * stride) % words : kind % 4 == 2 ? start + below(few) : below(words);
    bool const off = kind % 4 == 1 ? below(2) == 0 : kind % 8 == 7 && below(4) == 0;
    result.push_back(off ? -1 : word * bytes);
  }
  return result;
}

/// Regular patterns that show when half or quarter warps are served together, which depends on the lanes that share words and on
/// the inactive lanes. Words are shared by 1, 2, 4 or 8 lanes, adjacent or two or four lanes apart, in the whole warp or in one
/// half; every second lane, pairs of lanes, or the last lanes are inactive. Words are contiguous, or all in the same banks, so that
/// lanes that are served together conflict.
inline std::vector<offsets> ordered(int bytes) {
  using word_of_lane = int (*)(int);
  constexpr word_of_lane alone = [](int l) { return l; }, pairs = [](int l) { return l / 2; },
                         crossed = [](int l) { return (l & 1) + l / 4 * 2; };
  constexpr word_of_lane kWords[] = {alone,
                                     pairs,
                                     crossed,
                                     [](int l) { return l / 4; },
                                     [](int l) { return (l & 3) + l / 8 * 4; },
                                     [](int l) { return l % 16; },
                                     [](int l) { return l % 8; },
                                     [](int) { return 0; },
                                     [](int l) { return l < 16 ? l / 2 : l; },
                                     [](int l) { return l < 16 ? l : l / 2; },
                                     [](int l) { return l < 16 ? l / 2 : (l & 1) + l / 4 * 2; }};
  constexpr std::uint32_t kOn[] = {0x5555'5555, 0xaaaa'aaaa, 0x3333'3333, 0x1111'1111, 0x5555'ffff, 0x1,
                                   0x3,         0x1ff,       0xffff,      0x1'ffff,    0xff'ffff};
  std::vector<offsets> result;
  auto const add = [&](word_of_lane word, std::uint32_t on, int apart) {
    auto& lanes = result.emplace_back();
    for (int lane = 0; lane < kWarp; ++lane) lanes.push_back(on >> lane & 1 ? word(lane) * apart : -1);
  };
  for (int const apart : {bytes, kWavefrontBytes}) {
    for (auto const word : kWords) add(word, ~0u, apart);
    for (auto const on : kOn)
      for (auto const word : {alone, pairs}) add(word, on, apart);
  }
  return result;
}

}  // namespace lane_patterns
