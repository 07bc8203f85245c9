#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "measure/statistics.hpp"

/// A permutation that is timed in place.
struct inplace_case {
  std::vector<std::int64_t> shape, axes;
  std::int64_t element_size;

  std::int64_t bytes() const { return std::accumulate(shape.begin(), shape.end(), element_size, std::multiplies<>()); }
};

/// Squares of these sides and of elements of 1 to 16 bytes, and a few batches; those of at most `most_bytes` bytes.
inline std::vector<inplace_case> inplace_cases(std::vector<std::int64_t> const& sides, std::int64_t most_bytes) {
  std::vector<inplace_case> all;
  for (auto const side : sides)
    for (std::int64_t const size : {1, 2, 4, 8, 16}) all.push_back({{side, side}, {1, 0}, size});
  for (std::int64_t const size : {2, 4, 8}) {
    all.push_back({{64, 1024, 1024}, {0, 2, 1}, size});
    all.push_back({{1024, 64, 1024}, {2, 1, 0}, size});
    all.push_back({{4096, 4096, 4}, {1, 0, 2}, size});
  }
  all.push_back({{4096, 4096, 3}, {1, 0, 2}, 4});
  all.push_back({{std::int64_t(1) << 20, 8, 8}, {0, 2, 1}, 4});
  std::erase_if(all, [=](auto const& each) { return each.bytes() > most_bytes; });
  return all;
}

/// Rectangles of at most `most_bytes` bytes: multiples of 64 with sides up to 65536, and sides without common divisors, primes
/// among them.
inline std::vector<inplace_case> rectangle_cases(std::int64_t most_bytes) {
  constexpr std::array<std::int64_t, 2> kSides[] = {{32768, 16384}, {16384, 32768}, {65536, 4096},  {4096, 65536}, {28672, 8192},
                                                    {8192, 28672},  {12288, 20480}, {65536, 28672}, {4096, 14336}, {16448, 8256},
                                                    {32771, 16411}, {16411, 32771}, {65537, 4099},  {4099, 65537}, {20011, 10007},
                                                    {12345, 6789},  {10000, 30000}};
  std::vector<inplace_case> all;
  for (auto const& [m, n] : kSides)
    for (std::int64_t const size : {2, 4, 8}) all.push_back({{m, n}, {1, 0}, size});
  for (auto const& [m, n] : {std::array<std::int64_t, 2>{16384, 8192}, {16411, 8209}})
    for (std::int64_t const size : {1, 16}) all.push_back({{m, n}, {1, 0}, size});
  all.push_back({{64, 2048, 1024}, {0, 2, 1}, 4});
  all.push_back({{1'000'000, 24, 16}, {0, 2, 1}, 4});
  all.push_back({{8192, 6144, 3}, {1, 0, 2}, 4});
  std::erase_if(all, [=](auto const& each) { return each.bytes() > most_bytes; });
  return all;
}

/// The cases that a program's arguments name: `rectangles`, with a limit of their bytes if it is given, or sides of squares.
inline std::vector<inplace_case> cases_given(int count, char** arguments, std::vector<std::int64_t> const& usual_sides,
                                             std::int64_t most_bytes) {
  if (count > 1 && std::string(arguments[1]) == "rectangles")
    return rectangle_cases(count > 2 ? std::min<std::int64_t>(most_bytes, std::atoll(arguments[2])) : most_bytes);
  std::vector<std::int64_t> sides;
  for (int i = 1; i < count; ++i) sides.push_back(std::atoll(arguments[i]));
  return inplace_cases(sides.empty() ? usual_sides : sides, most_bytes);
}

inline double median_of(std::vector<double> const& values) { return cornerturn::quantile(values, 0.5); }

/// One case as JSON. The times are in milliseconds, one per round; each ratio is the median over the rounds of the copy's time by
/// the other's time in that round.
inline std::string json_of(inplace_case const& each, std::string const& plan, bool is_right, std::vector<double> const& copy,
                           std::vector<double> const& in_place, std::vector<double> const& and_back) {
  auto const ratio = [&](std::vector<double> const& other) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < copy.size(); ++i) ratios.push_back(copy[i] / other[i]);
    return median_of(ratios);
  };
  return fmt::format(
      "  {{\"shape\": [{}], \"axes\": [{}], \"element_size\": {}, \"bytes\": {}, \"right\": {},\n   \"plan\": \"{}\",\n"
      "   \"copy_ms\": {:.4f}, \"in_place_ms\": {:.4f}, \"permute_and_copy_back_ms\": {:.4f}, \"ratio\": {:.3f}, "
      "\"ratio_of_permute_and_copy_back\": {:.3f}}}",
      fmt::join(each.shape, ", "), fmt::join(each.axes, ", "), each.element_size, each.bytes(), is_right, plan, median_of(copy),
      median_of(in_place), median_of(and_back), ratio(in_place), ratio(and_back));
}
