#include "file/sum.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace cornerturn {
namespace {

constexpr std::int64_t kWord = 8;  ///< bytes; a file consists of words, each of which has a factor

/// An odd factor for a word, very different from the factors of its neighbours.
std::uint64_t factor_of(std::int64_t word) {
  auto mixed = (std::uint64_t(word) + 1) * 0x9E3779B97F4A7C15;
  mixed = (mixed ^ mixed >> 32) * 0xD6E8FEB86659FD93;
  return (mixed ^ mixed >> 32) | 1;
}

/// The sum of two products, because a single product would lose the high bits of a word. So the upper half of a word is moved to
/// the lower half, and has a factor of its own.
std::uint64_t product_of(std::uint64_t word, std::uint64_t factor) {
  constexpr std::uint64_t kUpper = 0xC2B2AE3D27D4EB4F;
  return ((word & 0xFFFFFFFF) + (word >> 32) * kUpper) * factor;
}

}  // namespace

std::uint64_t sum_of(std::int64_t offset, void const* bytes, std::int64_t count) {
  auto const* const from = static_cast<std::byte const*>(bytes);
  auto const begin = offset % kWord;
  // Words begin at multiples of 8 bytes in the file, so the first and the last one may be incomplete.
  auto const partial = [&](std::int64_t place, std::int64_t done, std::int64_t size) {
    std::uint64_t word = 0;
    std::memcpy(reinterpret_cast<std::byte*>(&word) + place, from + done, std::size_t(size));
    return product_of(word, factor_of((offset + done) / kWord));
  };
  auto done = begin == 0 ? 0 : std::min(kWord - begin, count);
  auto result = done > 0 ? partial(begin, 0, done) : 0;
  for (; done + kWord <= count; done += kWord) {
    std::uint64_t word;
    std::memcpy(&word, from + done, sizeof word);
    result += product_of(word, factor_of((offset + done) / kWord));
  }
  return done < count ? result + partial(0, done, count - done) : result;
}

}  // namespace cornerturn
