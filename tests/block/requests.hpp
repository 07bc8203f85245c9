#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "block/recording.hpp"

namespace cornerturn::test {

inline constexpr int kWarp = 32, kSectorBytes = 32, kBanks = 32, kBankBytes = 4;

/// What a warp asks of memory at once: the accesses of its lanes that have a place in the source and its occurrence in common.
struct request {
  int block;  ///< counted from the first one recorded
  std::vector<recorded_access> lanes;

  memory_space space() const { return lanes.front().space; }
  bool store() const { return lanes.front().store; }
  int bytes() const { return lanes.front().bytes; }
  int active() const {
    return int(std::ranges::count_if(lanes, [](auto const& lane) { return lane.active; }));
  }
};

/// The requests of one block after another, in no order within a block.
inline std::vector<request> requests_of(recording const& record) {
  std::map<std::tuple<int, int, source_place, int>, request> requests;
  int block = -1;
  for (auto const& each : record.accesses) {
    auto const& first = record.accesses.front();
    block += each.thread == first.thread && each.place == first.place && each.occurrence == 0;
    auto& into = requests[{block, each.thread / kWarp, each.place, each.occurrence}];
    into.block = block;
    into.lanes.push_back(each);
  }
  std::vector<request> result;
  for (auto& [key, each] : requests) result.push_back(std::move(each));
  return result;
}

/// The 32-byte sectors of global memory that a request touches.
inline int sectors(request const& each) {
  std::set<std::uint64_t> touched;
  for (auto const& lane : each.lanes)
    if (lane.active)
      for (int byte = 0; byte < lane.bytes; ++byte) touched.insert((lane.address + byte) / kSectorBytes);
  return int(touched.size());
}

/// The lanes whose accesses to shared memory are served together: 128 bytes' worth, all 32 where an access has 4 bytes or less.
inline int lanes_together(int bytes) { return std::min(kWarp, kBanks * kBankBytes / bytes); }

/// How often shared memory is gone through for a request: lanes that want different words of one bank wait for each other.
inline int wavefronts(request const& each) {
  int const together = lanes_together(each.bytes());
  int total = 0;
  for (int group = 0; group < kWarp; group += together) {
    std::array<std::set<std::uint64_t>, kBanks> words;
    for (auto const& lane : each.lanes)
      if (lane.active && lane.thread % kWarp / together == group / together)
        for (int byte = 0; byte < lane.bytes; ++byte) {
          auto const word = (lane.address + byte) / kBankBytes;
          words[word % kBanks].insert(word);
        }
    total += int(std::ranges::max(words, {}, [](auto const& bank) { return bank.size(); }).size());
  }
  return total;
}

/// The wavefronts of a full warp without bank conflicts.
inline int least_wavefronts(request const& each) { return kWarp / lanes_together(each.bytes()); }

}  // namespace cornerturn::test
