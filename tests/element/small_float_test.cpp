#include "element/small_float.hpp"

#include <gtest/gtest.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cmath>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

namespace cornerturn::element {
namespace {

std::vector<std::pair<std::string_view, small_format>> const kFormats = [] {
  std::vector<std::pair<std::string_view, small_format>> formats;
  for (auto const& row : kElementTypes)
    visit_type(row.type, [&]<class T>(T) {
      if constexpr (small_float<T>) formats.emplace_back(row.name, T::kFormat);
    });
  return formats;
}();

unsigned codes(small_format format) { return 2 * format.sign(); }

TEST(small_float, numbers_keep_their_code) {
  for (auto const& [name, format] : kFormats)
    for (unsigned bits = 0; bits < codes(format); ++bits) {
      float const number = value_of(bits, format);
      if (std::isnan(number)) continue;
      EXPECT_EQ(rounded_bits(number, format, false), bits) << name;
      EXPECT_EQ(rounded_bits(double(number), format, false), bits) << name;
    }
}

#if defined(__x86_64__)
TEST(small_float, subnormal_numbers_are_not_flushed_to_zero) {
  for (auto const& [name, format] : kFormats) {
    if (format.bias() == 127) continue;  // the number is that of 32 bits
    for (unsigned bits = 1; bits >> format.mantissa_bits == 0; ++bits) {
      unsigned const before = _mm_getcsr();
      _mm_setcsr(before | 0x8040);  // results and operands are flushed
      unsigned volatile code = bits;
      float const number = value_of(code, format);
      float volatile given = number;
      unsigned const again = rounded_bits(given, format, false);
      _mm_setcsr(before);
      EXPECT_EQ(number, std::ldexp(float(bits), 1 - format.bias() - format.mantissa_bits)) << name << " " << bits;
      EXPECT_EQ(again, bits) << name;
    }
  }
}
#endif

/// The definition: the nearest of two neighbours, the even one of two that are as near. The code after the largest finite one
/// stands for what would be the next number.
TEST(small_float, rounds_to_the_nearest_and_to_even) {
  for (auto const& [name, format] : kFormats) {
    auto const number = [&, format = format](unsigned code) {
      int const exponent = std::max(1, int(code >> format.mantissa_bits));
      auto const mantissa = code - unsigned(exponent - 1) * (1u << format.mantissa_bits);
      return std::ldexp(double(mantissa), exponent - format.bias() - format.mantissa_bits);
    };
    for (unsigned code = 0; code <= format.largest(); ++code) {
      double const low = number(code), high = number(code + 1), middle = (low + high) / 2;
      unsigned const next = code < format.largest() ? code + 1 : format.has_infinity ? format.infinity() : format.nan();
      for (double const sign : {1.0, -1.0}) {
        unsigned const bit = sign < 0 ? format.sign() : 0;
        auto const expect = [&](double value, unsigned expected) {
          EXPECT_EQ(rounded_bits(sign * value, format, false), expected | bit) << name << " " << value;
          EXPECT_EQ(rounded_bits(sign * value, format, true), std::min(expected, format.largest()) | bit) << name << " " << value;
          if (float(value) != value) return;
          EXPECT_EQ(rounded_bits(float(sign * value), format, false), expected | bit) << name << " " << value;
          EXPECT_EQ(rounded_bits(float(sign * value), format, true), std::min(expected, format.largest()) | bit)
              << name << " " << value;
        };
        expect(low, code);
        expect(middle, code % 2 ? next : code);
        expect(std::nextafter(middle, 0.0), code);
        expect(std::nextafter(middle, HUGE_VAL), next);
        expect(double(std::nextafter(float(middle), 0.0f)), code);
        expect(double(std::nextafter(float(middle), HUGE_VALF)), next);
      }
    }
  }
}

TEST(small_float, both_roundings_agree) {
  std::mt19937 generator(25);
  for (int i = 0; i < 300'000; ++i) {
    auto const number = std::bit_cast<float>(std::uint32_t(generator()));
    for (auto const& [name, format] : kFormats)
      for (bool const saturate : {false, true})
        EXPECT_EQ(rounded_bits(number, format, saturate), rounded_bits(double(number), format, saturate))
            << name << " " << number;
  }
}

TEST(small_float, infinity_and_nan) {
  for (auto const& [name, format] : kFormats) {
    EXPECT_EQ(rounded_bits(HUGE_VALF, format, false), format.has_infinity ? format.infinity() : format.nan()) << name;
    EXPECT_EQ(rounded_bits(HUGE_VALF, format, true), format.largest()) << name;
    EXPECT_TRUE(std::isnan(value_of(rounded_bits(std::nanf(""), format, true), format))) << name;
    if (format.has_infinity) {
      EXPECT_EQ(value_of(format.infinity() | format.sign(), format), -HUGE_VALF) << name;
    }
  }
}

}  // namespace
}  // namespace cornerturn::element
