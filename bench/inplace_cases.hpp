#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
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

/// Matrices of these sides, with elements of 2, 4 and 8 bytes.
inline std::vector<inplace_case> matrices_of(std::span<std::array<std::int64_t, 2> const> sides) {
  std::vector<inplace_case> all;
  for (auto const& [m, n] : sides)
    for (std::int64_t const size : {2, 4, 8}) all.push_back({{m, n}, {1, 0}, size});
  return all;
}

/// Rectangles of at most `most_bytes` bytes: multiples of 64 with sides up to 65536, and sides without common divisors, primes
/// among them.
inline std::vector<inplace_case> rectangle_cases(std::int64_t most_bytes) {
  constexpr std::array<std::int64_t, 2> kSides[] = {{32768, 16384}, {16384, 32768}, {65536, 4096},  {4096, 65536}, {28672, 8192},
                                                    {8192, 28672},  {12288, 20480}, {65536, 28672}, {4096, 14336}, {16448, 8256},
                                                    {32771, 16411}, {16411, 32771}, {65537, 4099},  {4099, 65537}, {20011, 10007},
                                                    {12345, 6789},  {10000, 30000}};
  auto all = matrices_of(kSides);
  for (auto const& [m, n] : {std::array<std::int64_t, 2>{16384, 8192}, {16411, 8209}})
    for (std::int64_t const size : {1, 16}) all.push_back({{m, n}, {1, 0}, size});
  all.push_back({{64, 2048, 1024}, {0, 2, 1}, 4});
  all.push_back({{1'000'000, 24, 16}, {0, 2, 1}, 4});
  all.push_back({{8192, 6144, 3}, {1, 0, 2}, 4});
  std::erase_if(all, [=](auto const& each) { return each.bytes() > most_bytes; });
  return all;
}

/// Rectangles of at most `most_bytes` bytes both of whose sides are longer than 28,672, up to 64 GB.
inline std::vector<inplace_case> large_cases(std::int64_t most_bytes) {
  constexpr std::array<std::int64_t, 2> kSides[] = {{32768, 40960}, {61440, 36864}, {49152, 98304},
                                                    {32771, 40009}, {60013, 30011}, {40000, 60000}};
  auto all = matrices_of(kSides);
  all.push_back({{65536, 122880}, {1, 0}, 8});
  std::erase_if(all, [=](auto const& each) { return each.bytes() > most_bytes; });
  return all;
}

/// Arrays of structures with 2 to 64 fields and structures of arrays: N x n and n x N of about `bytes` bytes. N is a multiple of
/// 64, or prime to every small number.
inline std::vector<inplace_case> skinny_cases(std::int64_t bytes) {
  std::vector<inplace_case> all;
  auto const add = [&](std::int64_t fields, std::int64_t size, bool is_multiple) {
    auto const many = bytes / (fields * size) / 64 * 64 - (is_multiple ? 0 : 31);
    all.push_back({{many, fields}, {1, 0}, size});
    all.push_back({{fields, many}, {1, 0}, size});
  };
  for (std::int64_t const fields : {2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64}) add(fields, 4, true);
  for (std::int64_t const fields : {3, 16, 64})
    for (std::int64_t const size : {1, 2, 8}) add(fields, size, true);
  for (std::int64_t const fields : {3, 16, 64}) add(fields, 4, false);
  return all;
}

/// Permutations of 3 to 6 axes, 256 MB to 2 GB each: reversals, images and volumes whose channels move, heads of attention,
/// patches, and axes in no particular order, with extents that are powers of two, multiples of them, and primes.
inline std::vector<inplace_case> axes_cases() {
  return {{{768, 640, 512}, {2, 1, 0}, 4},
          {{1009, 601, 401}, {2, 1, 0}, 4},
          {{256, 2048, 1024}, {1, 0, 2}, 4},
          {{2000, 1500, 96}, {1, 0, 2}, 2},
          {{96, 4096, 640}, {2, 1, 0}, 2},
          {{8192, 4096, 3}, {2, 0, 1}, 4},
          {{3, 6000, 9000}, {1, 2, 0}, 4},
          {{64, 256, 112, 112}, {0, 2, 3, 1}, 4},
          {{128, 96, 96, 192}, {0, 3, 1, 2}, 2},
          {{128, 120, 96, 160}, {3, 2, 1, 0}, 4},
          {{32, 2048, 32, 128}, {0, 2, 1, 3}, 2},
          {{60, 250, 77, 131}, {1, 3, 0, 2}, 4},
          {{200, 180, 100, 70}, {2, 3, 0, 1}, 8},
          {{48, 40, 36, 32, 64}, {4, 3, 2, 1, 0}, 4},
          {{16, 64, 56, 56, 48}, {0, 1, 4, 2, 3}, 4},
          {{8, 32, 96, 128, 96}, {0, 2, 3, 4, 1}, 4},
          {{30, 28, 26, 24, 110}, {2, 0, 3, 1, 4}, 8},
          {{16, 24, 20, 28, 32, 36}, {5, 4, 3, 2, 1, 0}, 4},
          {{32, 16, 28, 16, 28, 48}, {0, 2, 4, 1, 3, 5}, 4},
          {{12, 18, 22, 26, 30, 34}, {2, 4, 0, 5, 1, 3}, 8}};
}

/// Halves the longest axis, rounded up, until an array has at most `most_bytes` bytes.
inline inplace_case scaled(inplace_case each, std::int64_t most_bytes) {
  while (each.bytes() > most_bytes) {
    auto& longest = *std::ranges::max_element(each.shape);
    longest = (longest + 1) / 2;
  }
  return each;
}

/// What a program is asked to time.
struct case_options {
  std::string set = "squares";
  std::vector<std::int64_t> sides;  ///< sides of squares
  std::int64_t most_bytes;          ///< bytes of the largest array
  double seconds = 1e9;             ///< no case begins later
  std::string blas;                 ///< a library with cblas_simatcopy and the like; none if empty

  std::vector<inplace_case> cases() const {
    if (set == "rectangles") return rectangle_cases(most_bytes);
    if (set == "large") return large_cases(most_bytes);
    if (set == "skinny") return skinny_cases(std::min<std::int64_t>(most_bytes, std::int64_t(1) << 30));
    if (set == "squares") return inplace_cases(sides, most_bytes);
    auto all = axes_cases();
    for (auto& each : all) each = scaled(each, most_bytes);
    return all;
  }
};

/// Parses a program's arguments. Returns its exit status if it should not go on.
inline std::optional<int> parse(int count, char** arguments, case_options& options, bool has_blas) {
  CLI::App app("Times permutations in place beside a copy of the same bytes. Prints JSON.");
  app.add_option("set", options.set, "the cases")->check(CLI::IsMember({"squares", "rectangles", "large", "skinny", "axes"}));
  app.add_option("--sides", options.sides, "sides of the squares");
  app.add_option("--most-bytes", options.most_bytes, "bytes of an array; larger cases are left out, and those of axes scaled");
  app.add_option("--seconds", options.seconds, "no case begins later");
  if (has_blas) app.add_option("--blas", options.blas, "path of a BLAS library with imatcopy");
  try {
    app.parse(count, arguments);
  } catch (CLI::ParseError const& e) {
    return app.exit(e);
  }
  return std::nullopt;
}

/// Prints the JSON of all cases; timed(case) returns that of one, or nothing if there is no memory for it. Cases that would begin
/// too late are counted.
template <class Timed>
void print_cases(case_options const& options, Timed const& timed) {
  using clock = std::chrono::steady_clock;
  auto const begin = clock::now();
  int left_out = 0;
  bool is_first = true;
  fmt::print(" \"cases\": [\n");
  for (auto const& each : options.cases()) {
    if (std::chrono::duration<double>(clock::now() - begin).count() > options.seconds) {
      ++left_out;
      continue;
    }
    if (std::optional<std::string> const line = timed(each))
      fmt::print("{}{}", std::exchange(is_first, false) ? "" : ",\n", *line);
    else
      ++left_out;
    std::fflush(stdout);
  }
  fmt::print("\n ],\n \"left_out\": {}\n}}\n", left_out);
}

inline double median_of(std::vector<double> const& values) { return cornerturn::quantile(values, 0.5); }

/// The times of one case in milliseconds, one per round. A row that was not timed is empty.
struct inplace_times {
  std::vector<double> copy, in_place, and_back, blas;
};

/// One case as JSON. Each ratio is the median over the rounds of the
/// copy's time by the other's time in that round.
inline std::string json_of(inplace_case const& each, std::string const& plan, bool is_right, inplace_times const& times) {
  auto result = fmt::format(
      "  {{\"shape\": [{}], \"axes\": [{}], \"element_size\": {}, \"bytes\": {}, \"right\": {},\n   \"plan\": \"{}\",\n"
      "   \"copy_ms\": {:.4f}",
      fmt::join(each.shape, ", "), fmt::join(each.axes, ", "), each.element_size, each.bytes(), is_right, plan,
      median_of(times.copy));
  auto const add = [&](std::string const& name, std::string const& ratio_name, std::vector<double> const& other) {
    if (other.empty()) return;
    std::vector<double> ratios;
    for (std::size_t i = 0; i < times.copy.size(); ++i) ratios.push_back(times.copy[i] / other[i]);
    result += fmt::format(", \"{}_ms\": {:.4f}, \"{}\": {:.3f}", name, median_of(other), ratio_name, median_of(ratios));
  };
  add("in_place", "ratio", times.in_place);
  add("permute_and_copy_back", "ratio_of_permute_and_copy_back", times.and_back);
  add("imatcopy", "ratio_of_imatcopy", times.blas);
  return result + "}";
}

/// A case that was refused, as JSON.
inline std::string json_of(inplace_case const& each, std::string const& refusal) {
  return fmt::format("  {{\"shape\": [{}], \"axes\": [{}], \"element_size\": {}, \"bytes\": {}, \"refused\": \"{}\"}}",
                     fmt::join(each.shape, ", "), fmt::join(each.axes, ", "), each.element_size, each.bytes(), refusal);
}
