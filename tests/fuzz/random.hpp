#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

namespace cornerturn::fuzz {

/// Random choices that a seed repeats, on every processor.
class random_source {
 public:
  explicit random_source(std::uint64_t seed) : generator_(seed) {}

  /// A number from `low` to `high`.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + std::int64_t(generator_() % std::uint64_t(high - low + 1));
  }
  /// True once in `times` times.
  bool one_in(std::int64_t times) { return between(1, times) == 1; }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[between(0, std::ssize(all) - 1)];
  }
  template <class T>
  T const& one_of(std::vector<T> const& all) {
    return all[std::size_t(between(0, std::ssize(all) - 1))];
  }
  /// A size about a power of two up to 2^`most_bits`: the power itself half of the time.
  std::int64_t size(int most_bits) {
    auto const power = std::int64_t(1) << between(0, most_bits);
    return one_in(2) ? power : std::max<std::int64_t>(1, power + between(-2, 3) * between(1, 5));
  }
  template <class T>
  void shuffle(std::vector<T>& all) {
    for (auto i = std::ssize(all); i-- > 1;) std::swap(all[std::size_t(i)], all[std::size_t(between(0, i))]);
  }

  std::mt19937& generator32() {
    small_.seed(std::uint32_t(generator_()));
    return small_;
  }

 private:
  std::mt19937_64 generator_;
  std::mt19937 small_;
};

}  // namespace cornerturn::fuzz
