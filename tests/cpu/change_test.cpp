#include "cpu/tiles/change_row.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <variant>
#include <vector>

#include "plan/cpu_candidates.hpp"
#include "problem/element_types.hpp"
#include "support/all_types.hpp"
#include "support/check_tiles.hpp"
#include "support/random_operation.hpp"
#include "support/slowed.hpp"
#include "support/special_numbers.hpp"
#include "support/targets.hpp"
#include "support/ways.hpp"

namespace cornerturn {
namespace {

using enum element_type;
using numbers = std::vector<std::int64_t>;
using raw = std::vector<std::byte>;
using test::kAllTypes;

template <class T>
void append(raw& to, T const& each) {
  auto const* const bytes = reinterpret_cast<std::byte const*>(&each);
  to.insert(to.end(), bytes, bytes + sizeof each);
}

/// Elements of a type: all of one byte, every `step`th of two bytes, or the special numbers and random bits.
raw elements_of(element_type type, int step = 61) {
  raw result;
  std::mt19937_64 generator(7);
  auto const size = std::size_t(size_of(type));
  if (size == 1)
    for (int code = 0; code < 256; ++code) append(result, std::uint8_t(code));
  if (size == 2)
    for (int code = 0; code < 1 << 16; code += step) append(result, std::uint16_t(code));
  if (size < 4) return result;
  element::visit_type(type, [&]<class T>(T) {
    for (double const each : test::special_numbers()) {
      if constexpr (element::kIsComplex<T>) {
        using part = decltype(T::real);
        append(result, T{part(each), part(-2)}), append(result, T{part(3), part(each)});
      } else {
        append(result, element::element_of<T>(each, false));
      }
    }
  });
  for (std::size_t i = 0; i < 500 * size; i += 4) append(result, std::uint32_t(generator()));
  return result;
}

/// Compares `row` with the definition.
void check_row(element_operation const& operation, raw const& source) {
  auto const p = with_operation({.modes = {{std::int64_t(source.size()) / size_of(operation.source), 1, 1}}}, operation);
  if (!p.operation) return;
  auto const count = p.modes[0].extent;
  raw expected(std::size_t(count * size_of(operation.destination)));
  auto const some = elements_of(operation.destination);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = some[i * 7 % some.size()];
  auto result = expected;
  test::permute_plainly(p, source.data(), expected.data());
  cpu::element_changer(*p.operation).row(source.data(), result.data(), count);
  test::unify_nans(p, expected.data()), test::unify_nans(p, result.data());
  auto const wrong = std::mismatch(expected.begin(), expected.end(), result.begin()).first - expected.begin();
  ASSERT_EQ(std::size_t(wrong), expected.size())
      << to_string(operation) << ": element " << wrong / size_of(operation.destination);
}

std::vector<element_operation> operations_of(element_type source, element_type destination) {
  if (is_complex(source) && !is_complex(destination)) return {};
  element_operation const cast{source, destination};
  std::vector<element_operation> result(8, cast);
  result[1].saturate = is_8_bit_float(destination);
  result[2].alpha = 0.3, result[2].saturate = is_8_bit_float(destination);
  result[3].beta = -1.5;
  result[4].alpha = 3, result[4].beta = 0.7;
  result[5].conjugate = true;
  result[6].alpha = {0.5, 3}, result[6].conjugate = true;
  result[7].alpha = {0.5, 3}, result[7].beta = {-2, 0.1};
  if (!is_complex(destination)) result.resize(5);
  return result;
}

/// The operation with the bytes of one side or of both swapped.
std::vector<element_operation> swapped(element_operation each) {
  std::vector<element_operation> result;
  for (int const sides : {1, 2, 3}) {
    each.source_swapped = sides & 1, each.destination_swapped = sides & 2;
    result.push_back(each);
  }
  return result;
}

class cpu_change : public test::on_each_target {};

TEST_P(cpu_change, follows_the_definition_for_every_pair_of_types) {
  for (auto const source : kAllTypes) {
    auto const some = elements_of(source), all = elements_of(source, 1);
    for (auto const destination : kAllTypes)
      for (auto const& operation : operations_of(source, destination))
        check_row(operation, element::factors::of(operation).computes ? some : all);
  }
}

TEST_P(cpu_change, swaps_the_bytes_of_either_side) {
  for (auto const source : kAllTypes) {
    auto const some = elements_of(source);
    for (auto const destination : kAllTypes)
      for (auto const& operation : operations_of(source, destination))
        for (auto const& each : swapped(operation)) check_row(each, some);
  }
}

/// Factors that are the same for a row, and factors that follow each other or have gaps.
TEST_P(cpu_change, multiplies_rows_by_factors_along_a_mode) {
  std::mt19937 generator(7);
  for (auto const source : kAllTypes)
    for (auto const destination : kAllTypes) {
      if (is_complex(source) || is_complex(destination)) continue;
      auto const elements = elements_of(source);
      auto const count = std::min<std::int64_t>(700, std::int64_t(elements.size()) / size_of(source));
      for (std::int64_t const step : {0, 1, 2}) {
        element_operation operation = test::random_affine(generator, {source, destination}, 1);
        problem const p{.modes = {{count / std::max<std::int64_t>(step * 4, 1), 1, 1, step}},
                        .element_size = sizes_of(operation),
                        .operation = operation,
                        .factor_offset = 3};
        raw expected(std::size_t(count * size_of(destination)), std::byte{0x31}), result = expected;
        test::permute_plainly(p, elements.data(), expected.data());
        cpu::element_changer(operation).row(elements.data(), result.data(), p.modes[0].extent, {3, step});
        test::unify_nans(p, expected.data()), test::unify_nans(p, result.data());
        ASSERT_EQ(expected, result) << to_string(operation) << ", step " << step;
      }
    }
}

/// Every float whose last bits decide how it is rounded.
TEST_P(cpu_change, rounds_floats_to_smaller_ones) {
  raw elements;
  for (std::uint32_t high = 0; high < 1u << 16; ++high)
    for (std::uint32_t const low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) append(elements, high << 16 | low);
  for (auto const destination : {bf16, f16, f8_e4m3fn, f8_e5m2}) check_row({f32, destination}, elements);
}

TEST_P(cpu_change, rounds_doubles_once) {
  raw elements;
  std::mt19937_64 generator(3);
  for (auto const middle : test::special_numbers())
    for (int bit = 0; bit < 52; ++bit) append(elements, std::bit_cast<std::uint64_t>(middle) ^ std::uint64_t(1) << bit);
  for (int i = 0; i < 100'000; ++i)  // near the range of small formats, with few bits set
    append(elements, (std::uint64_t(1023 - 160 + generator() % 200) << 52 |
                      (generator() & generator() & generator() & ((std::uint64_t(1) << 52) - 1))));
  for (auto const destination : {f32, bf16, f16, f8_e4m3fn, f8_e5m2, i8, u16, i32, boolean})
    check_row({f64, destination}, elements);
}

TEST_P(cpu_change, of_short_rows_touches_nothing_behind_them) {
  for (auto const source : kAllTypes)
    for (auto const destination : {f32, bf16, u8, i64, c64, c128, source}) {
      if (is_complex(source) && !is_complex(destination)) continue;
      auto const elements = elements_of(source);
      element_operation const operation{source, destination, 2, 0.5};
      cpu::element_changer const changer(operation);
      for (std::int64_t count = 0; count < 40; ++count) {
        auto const p = with_operation({.modes = {{count, 1, 1}}}, operation);
        raw expected(std::size_t((count + 1) * size_of(destination)), std::byte{0x31}), result = expected;
        test::permute_plainly(p, elements.data(), expected.data());
        changer.row(elements.data(), result.data(), count);
        test::unify_nans(p, expected.data()), test::unify_nans(p, result.data());
        ASSERT_EQ(expected, result) << name_of(source) << " to " << name_of(destination) << ", " << count;
      }
    }
}

TEST_P(cpu_change, makes_lines_of_rows) {
  constexpr std::int64_t kRows = 70, kAt = 3;
  for (auto const source : kAllTypes)
    for (auto const destination : kAllTypes) {
      if (is_complex(source) && !is_complex(destination)) continue;
      element_operation const operation{source, destination, 0.5};
      auto const count = 64 / size_of(destination), row = count * size_of(source) + 5;
      auto elements = elements_of(source);
      elements.resize(std::size_t(kAt + kRows * row));
      std::vector<std::byte const*> rows;
      for (std::int64_t k = 0; k < kRows; ++k) rows.push_back(elements.data() + (k * 11 % kRows) * row);
      raw expected(64 * kRows), result(expected);
      cpu::element_changer const changer(operation);
      for (std::int64_t k = 0; k < kRows; ++k) changer.row(rows[std::size_t(k)] + kAt, expected.data() + 64 * k, count);
      changer.lines(rows.data(), kAt, kRows, result.data());
      ASSERT_EQ(expected, result) << to_string(operation);
    }
}

/// Plans that change elements before they transpose them: at once for the large matrices of an AMD processor.
std::vector<candidate> direct(problem const& simplest, alignment const&) {
  cpu_tile_hint const hint{
      .columns = 4096, .row = 8 << 10, .run = 256, .staged = 2, .streamed_above = 0, .near = 0, .direct = true};
  auto small = hint;
  small.tile = 30'000;
  return {cpu_candidate_of(simplest, hint), cpu_candidate_of(simplest, small)};
}

bool is_direct(problem const& p) {
  return std::holds_alternative<cpu_plan>(direct(canonical(p), {}).front().steps.front().kernel);
}

TEST_P(cpu_change, transposes_every_pair_of_types) {
  int changed = 0;
  for (auto const source : kAllTypes)
    for (auto const destination : kAllTypes)
      for (auto const& operation : operations_of(source, destination)) {
        auto const p = with_operation(permutation(numbers{260, 70}, {}, numbers{1, 0}, 1), operation);
        if (!p.operation || operation.saturate) continue;
        test::check_ways_on_cpu(p, std::size_t(size_of(source)), std::size_t(size_of(destination)), direct);
        if (HasFatalFailure()) return;
        changed += is_direct(p);
      }
  EXPECT_GT(changed, 270);
}

/// Pairs of types that change in vector registers while they are transposed.
constexpr std::pair<element_type, element_type> kChangedInRegisters[] = {
    {f32, f32}, {f64, f64}, {c64, c64}, {c128, c128}, {f16, f32}, {bf16, f32}, {f32, f64}, {f32, f16}, {f32, bf16}, {f64, f32}};

TEST_P(cpu_change, transposes_matrices_anywhere) {
  std::vector<element_operation> operations;
  for (auto const& [source, destination] : {std::pair{f32, f8_e5m2}, {u8, f32}, {i16, u8}})
    operations.push_back({source, destination, 0.5});
  for (auto const& [source, destination] : kChangedInRegisters) operations.push_back({source, destination, 0.5});
  for (auto const& [source, destination] : {std::pair{f32, f32}, {c64, c64}, {bf16, f32}, {f32, f64}})
    operations.push_back({source, destination, 0.5, 2});
  for (auto const& operation : operations)
    for (auto const& [rows, columns] : {std::pair{512, 200}, {64 * 5, 64}, {1031, 130}, {700, 33}, {4200, 40}}) {
      if (test::is_slowed() && rows * columns > 50'000) continue;
      for (bool const mirrored : {false, true})
        for (std::int64_t const off : {mirrored ? 0 : 1, mirrored ? 5 : 16}) {
          auto p = with_operation(permutation(numbers{rows, columns}, {}, numbers{1, 0}, 1), operation);
          p.destination_offset = off;
          if (mirrored) std::ranges::find(p.modes, 1, &mode::source_stride)->source_stride = -1, p.source_offset = columns - 1;
          test::check_ways_on_cpu(p, std::size_t(3 * off), 0, direct);
          if (HasFatalFailure()) return;
        }
    }
}

/// A batch of matrices with gaps, which begin anywhere.
TEST_P(cpu_change, transposes_random_matrices) {
  int changed = 0;
  test::for_each_seed(150, [&](unsigned seed) {
    std::mt19937 generator(seed);
    auto const draw = [&](std::int64_t low, std::int64_t high) {
      return std::uniform_int_distribution<std::int64_t>(low, high)(generator);
    };
    auto operation = test::random_operation(generator);
    if (draw(0, 1)) {
      auto const [source, destination] = kChangedInRegisters[std::size_t(draw(0, std::ssize(kChangedInRegisters) - 1))];
      operation.source = source, operation.destination = destination;
      if (!is_complex(destination)) operation.alpha = operation.alpha.real(), operation.beta = operation.beta.real();
      operation.saturate = false;
    }
    auto const line = 64 / size_of(operation.destination);
    auto const rows = draw(4 * line, 10 * line), columns = draw(line, 3 * line), batch = draw(1, 3);
    auto const read = columns + draw(0, 1) * draw(0, 9), written = rows + draw(0, 1) * draw(0, 9);
    auto const p = with_operation({.modes = {{batch, rows * read, columns * written}, {columns, 1, written}, {rows, read, 1}},
                                   .destination_offset = draw(0, 5)},
                                  operation);
    if (!p.operation) return;
    test::check_ways_on_cpu(p, generator() % 70, generator() % 70, direct);
    changed += is_direct(p);
  });
  if (!std::getenv("CORNERTURN_SEED") && !HasFailure()) {
    EXPECT_GT(changed, 30);
  }
}

/// The bits of NaN stay, too. They are swapped in vector registers.
TEST_P(cpu_change, swaps_bytes_while_it_transposes) {
  for (auto const type : {i16, f32, f64, c64, c128}) {
    element_operation operation{type, type};
    operation.source_swapped = true;
    for (auto const& shape : {numbers{129, 200}, numbers{65, 33, 5}})
      for (std::size_t const off : {0, 16}) {
        auto const axes = shape.size() == 2 ? numbers{1, 0} : numbers{1, 0, 2};
        test::check_ways_on_cpu(with_operation(permutation(shape, {}, axes, 1), operation), off, 3 * off, direct);
        if (HasFatalFailure()) return;
      }
  }
}

/// Runs that stay together, such as the channels of an image: elements change one by one all the same.
TEST_P(cpu_change, transposes_short_runs) {
  std::vector<element_operation> operations{{u8, f32}, {f32, f64}, {c64, c64}, {f32, f32, 2, 0.5}};
  operations[2].conjugate = true;
  for (auto const& operation : operations)
    for (std::int64_t const run : {2, 4, 16})
      for (std::size_t const off : {0, 5}) {
        auto const p = with_operation(permutation(numbers{3, 65, 33, run}, {}, numbers{0, 2, 1, 3}, 1), operation);
        test::check_ways_on_cpu(p, off, 3 * off, direct);
        if (HasFatalFailure()) return;
      }
}

INSTANTIATE_TEST_SUITE_P(instructions, cpu_change, testing::ValuesIn(test::cpu_targets()), test::target_name);

}  // namespace
}  // namespace cornerturn
