#include "file/sum.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <string>

namespace cornerturn {
namespace {

constexpr std::int64_t kOffset = 3;  // no multiple of a word

std::uint64_t sum_of_text(std::string const& text, std::int64_t offset = kOffset) {
  return sum_of(offset, text.data(), std::ssize(text));
}

std::string random_text(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string text(size, '\0');
  for (auto& each : text) each = char(random());
  return text;
}

TEST(sum_of_bytes, is_the_sum_of_its_parts) {
  auto const text = random_text(100, 1);
  auto const whole = sum_of_text(text);
  for (std::size_t i = 0; i <= text.size(); ++i)
    for (std::size_t k = i; k <= text.size(); ++k)
      EXPECT_EQ(sum_of_text(text.substr(0, i)) + sum_of_text(text.substr(i, k - i), kOffset + std::int64_t(i)) +
                    sum_of_text(text.substr(k), kOffset + std::int64_t(k)),
                whole);
  EXPECT_EQ(sum_of_text(""), 0u);
}

TEST(sum_of_bytes, differs_if_a_byte_differs) {
  std::string const zeros(40, '\0');
  std::set<std::uint64_t> found{sum_of_text(zeros)};
  for (std::size_t i = 0; i < zeros.size(); ++i)
    for (int value = 1; value < 256; ++value) {
      auto text = zeros;
      text[i] = char(value);
      EXPECT_TRUE(found.insert(sum_of_text(text)).second) << i << ' ' << value;
    }
}

/// No two orders of words that differ in their high bytes alone have one sum.
TEST(sum_of_bytes, differs_if_bytes_change_places) {
  for (std::size_t const word : {std::size_t{1}, std::size_t{2}, std::size_t{4}, std::size_t{8}}) {
    std::set<std::uint64_t> found;
    for (unsigned seed = 0; seed < 5000; ++seed) {
      std::string text(word * 64, '\0');
      auto const high = random_text(64, seed);
      for (std::size_t i = 0; i < high.size(); ++i) text[word * (i + 1) - 1] = high[i];
      EXPECT_TRUE(found.insert(sum_of_text(text)).second) << word << ' ' << seed;
    }
  }
}

}  // namespace
}  // namespace cornerturn
