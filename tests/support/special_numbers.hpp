#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "element/convert.hpp"
#include "problem/problem.hpp"
#include "support/numbered.hpp"

namespace cornerturn::test {

/// Numbers at which conversions differ: limits, halves between neighbours, subnormal numbers, infinities and NaN.
inline std::vector<double> special_numbers() {
  std::vector<double> result{0, 0.25, 0.5, 1, 1.5, 2.5, 3, 255, 255.5, 256, 300, 1e30, 1e-30, 0x1p-149, 1e300, 1e-310};
  for (double const limit : {0x1p7,   0x1p8,    0x1p15,   0x1p16,   0x1p31,
                             0x1p32,  0x1p63,   0x1p64,   448.0,    464.0,
                             57344.0, 61440.0,  65504.0,  65520.0,  0x1p-6,
                             0x1p-9,  0x1p-10,  0x1p-14,  0x1p-16,  0x1p-24,
                             0x1p-25, 0x1p-126, 0x1p-133, 0x1p-134, double(std::numeric_limits<float>::max()),
                             0x1p128})
    for (double const each : {limit, std::nextafter(limit, 0.0), std::nextafter(limit, HUGE_VAL), limit * 0.75, limit - 1,
                              double(std::nextafter(float(limit), 0.0f)), double(std::nextafter(float(limit), HUGE_VALF))})
      result.push_back(each);
  result.push_back(HUGE_VAL), result.push_back(std::nan(""));
  for (auto const size = result.size(); result.size() < 2 * size;) result.push_back(-result[result.size() - size]);
  return result;
}

/// Replaces a quarter of the elements of a type, which may be unaligned, by special numbers that are rounded to it.
inline void mix_in_special_numbers(element_type type, std::span<std::byte> memory) {
  static auto const all = special_numbers();
  std::minstd_rand generator(25);
  auto const special = [&] { return all[generator() % all.size()]; };
  element::visit_type(type, [&]<class T>(T each) {
    for (std::size_t at = 0; at + sizeof each <= memory.size(); at += sizeof each) {
      if (generator() % 4 != 0) continue;
      if constexpr (element::kIsComplex<T>)
        each = {decltype(T::real)(special()), decltype(T::real)(special())};
      else
        each = element::element_of<T>(special(), false);
      std::memcpy(memory.data() + at, &each, sizeof each);
    }
  });
}

/// The bytes of a problem's source, behind `shift` other ones: `numbered`, with special numbers among elements that change.
inline std::vector<std::byte> numbered_source(problem const& p, std::int64_t bytes, std::size_t shift) {
  auto result = numbered(bytes + std::int64_t(shift));
  if (p.operation) mix_in_special_numbers(p.operation->source, std::span(result).subspan(shift));
  return result;
}

}  // namespace cornerturn::test
