#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "block/sizes.hpp"

namespace cornerturn {

/// The wavefronts in which shared memory serves at most a warp's accesses. Accesses to different words of one bank are served in
/// different wavefronts; accesses to the same word share one.
class bank_schedule {
 public:
  /// Returns the first wavefront, counted from 0, that can serve an access of `bytes` bytes at this address.
  int serve(std::int64_t address, int bytes) {
    auto const from = word_at(address), to = word_at(address + bytes - 1);
    int place = 0;
    while (place < count_ && !fits(places_[std::size_t(place)], from, to)) ++place;
    if (place == count_) places_[std::size_t(count_++)].used = 0;
    auto& [used, words] = places_[std::size_t(place)];
    for (auto word = from; word <= to; ++word) {
      used |= bit_of(word);
      words[bank_of(word)] = word;
    }
    return place;
  }

  int count() const { return count_; }
  void clear() { count_ = 0; }

 private:
  struct wavefront {
    std::uint32_t used;                      ///< bit i: bank i serves words[i]
    std::array<std::int64_t, kBanks> words;  ///< only those of used banks are set
  };

  static std::int64_t word_at(std::int64_t address) { return address >> std::countr_zero(unsigned(kBankBytes)); }
  static std::size_t bank_of(std::int64_t word) { return std::size_t(word) % kBanks; }
  static std::uint32_t bit_of(std::int64_t word) { return std::uint32_t(1) << bank_of(word); }
  static bool fits(wavefront const& each, std::int64_t from, std::int64_t to) {
    for (auto word = from; word <= to; ++word)
      if (each.used & bit_of(word) && each.words[bank_of(word)] != word) return false;
    return true;
  }

  std::array<wavefront, kWarp> places_;
  int count_ = 0;
};

}  // namespace cornerturn
