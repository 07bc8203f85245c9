#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <vector>

#include "cornerturn/cornerturn.h"
#include "engine/host/host.hpp"
#include "kernel/quantize/plan.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"
#include "support/guarded.hpp"
#include "support/inplace.hpp"
#include "support/plain.hpp"
#include "support/quantized.hpp"
#include "support/random_operation.hpp"
#include "support/random_problem.hpp"
#include "support/special_numbers.hpp"

// Calls of the C interface with arrays at every address within a cache line, between pages that must not be touched.

namespace cornerturn {
namespace {

using numbers = std::vector<std::int64_t>;

/// Bytes of a large result: the CPU stores it past its caches.
constexpr std::int64_t kLarge = 9 << 19;
constexpr unsigned kCases = 2 * test::guarded::kLine;

/// Draws cases from seeds, and counts what it has drawn.
class c_addresses : public testing::Test {
 protected:
  void for_each_case(std::function<void()> const& check, unsigned large_ones = kCases / 16) {
    for (number = 0; number < kCases; ++number) {
      generator.seed(number);
      check();
      if (HasFailure()) FAIL() << "in case " << number;
    }
    EXPECT_EQ(large, large_ones);
    for (auto const& each : places) EXPECT_EQ(each.size(), test::guarded::kLine);
  }

  bool is_large() const { return number % 16 == 5; }

  std::int64_t below(std::int64_t most) { return 1 + std::int64_t(generator() % std::uint64_t(most)); }

  /// One to four extents of at most 60,000 bytes; or two of a large result, with a few elements inside or outside them or
  /// neither.
  numbers shape(std::int64_t element_size) {
    auto left = (is_large() ? kLarge : below(60'000)) / element_size + 1;
    numbers result(std::size_t(below(4)), 1);
    if (is_large()) {
      auto const few = below(4), rows = below(700);
      result = number % 3 ? numbers{left / few / rows + 1, rows, few} : numbers{few, rows, left / few / rows + 1};
      ++large;
    } else {
      for (auto& extent : result) extent = below(std::min<std::int64_t>(left, 200)), left /= extent;
    }
    return result;
  }

  /// Any axes; half of the large ones exchange the first two.
  numbers axes_of(numbers const& shape) {
    if (is_large() && generator() % 2) return {1, 0, 2};
    numbers result(shape.size());
    std::iota(result.begin(), result.end(), 0);
    std::ranges::shuffle(result, generator);
    return result;
  }

  test::guarded::beside either_end() { return generator() % 2 ? test::guarded::beside::first : test::guarded::beside::last; }

  /// The bytes from the beginning of a cache line to the source (0) or to the result (1): as the cases go on, all that there are.
  std::size_t into_line(std::size_t side) {
    auto const result = (number * (side ? 27 : 1) + side) % test::guarded::kLine;
    places[side].insert(result);
    return result;
  }

  /// Checks that a call does with two arrays what the definition says, and touches nothing else.
  void check(problem const& p, std::function<cornerturn_status(std::byte const*, std::byte*)> const& call) {
    auto const given = test::numbered_source(p, source_range(p).high, 0);
    auto expected = test::numbered(destination_range(p).high);
    test::guarded const source(given.size(), either_end(), into_line(0)), result(expected.size(), either_end(), into_line(1));
    std::ranges::copy(given, source.data()), std::ranges::copy(expected, result.data());
    test::permute_plainly(p, given.data(), expected.data());
    test::unify_nans(p, expected.data());
    ASSERT_EQ(call(source.data(), result.data()), CORNERTURN_OK) << cornerturn_last_error();
    test::unify_nans(p, result.data());
    auto const wrong = std::ranges::mismatch(expected, result.bytes()).in1 - expected.begin();
    ASSERT_EQ(wrong, std::ssize(expected)) << "is the first wrong byte of " << to_string(p);
    ASSERT_TRUE(result.is_whole() && source.is_whole() && std::ranges::equal(given, source.bytes())) << to_string(p);
  }

  unsigned number = 0, large = 0;
  std::mt19937 generator;
  std::array<std::set<std::size_t>, 2> places;
};

TEST_F(c_addresses, of_permuted_arrays_are_any) {
  for_each_case([&] {
    std::int64_t constexpr kSizes[] = {1, 2, 3, 4, 6, 8, 12, 16};
    auto const size = kSizes[generator() % std::size(kSizes)];
    auto const extents = shape(size), axes = axes_of(extents);
    check(permutation(extents, {}, axes, size), [&](std::byte const* source, std::byte* result) {
      return cornerturn_permute(source, result, std::int32_t(axes.size()), extents.data(), axes.data(), size, nullptr, nullptr);
    });
  });
}

/// Gaps, steps and modes that run backwards, and large matrices with a pitch.
TEST_F(c_addresses, of_strided_arrays_are_any) {
  for_each_case([&] {
    auto p = test::random_problem(number, {.extent = 14, .zero_extents = false});
    if (is_large()) {
      std::int64_t const rows = 300 + std::int64_t(generator() % 700), columns = kLarge / p.element_size.source / rows + 1;
      p = {.modes = {{rows, columns + 3, 1}, {columns, 1, rows + 5}}, .element_size = p.element_size};
      ++large;
    }
    numbers extents, from, to;
    for (mode const& m : p.modes)
      extents.push_back(m.extent), from.push_back(m.source_stride), to.push_back(m.destination_stride);
    auto const size = p.element_size.source;
    check(p, [&](std::byte const* source, std::byte* result) {
      return cornerturn_strided_copy(source + p.source_offset * size, from.data(), result + p.destination_offset * size,
                                     to.data(), std::int32_t(extents.size()), extents.data(), size, nullptr, nullptr);
    });
  });
}

TEST_F(c_addresses, of_elements_that_change_are_any) {
  unsigned with_beta = 0, with_factors = 0;
  for_each_case([&] {
    auto operation = test::random_operation(generator);
    while (is_large() && size_of(operation.destination) == 1) operation = test::random_operation(generator);  // they take longer
    auto const extents = shape(size_of(operation.destination)), axes = axes_of(extents);
    if (number % 4 == 1 && !is_complex(operation.destination) && std::ranges::max(extents) <= 256)
      operation = test::random_affine(generator, operation, extents.size()), ++with_factors;
    with_beta += operation.beta != 0.0;
    auto const p = with_operation(permutation(extents, {}, axes, size_of(operation.source)), operation);
    cornerturn_operation const given{.size = sizeof(cornerturn_operation),
                                     .source_type = int(operation.source),
                                     .destination_type = int(operation.destination),
                                     .alpha = {operation.alpha.real(), operation.alpha.imag()},
                                     .beta = {operation.beta.real(), operation.beta.imag()},
                                     .conjugate = operation.conjugate,
                                     .saturate = operation.saturate,
                                     .scale = operation.scale,
                                     .bias = operation.bias,
                                     .factor_strides = operation.factor_strides.data()};
    check(p, [&](std::byte const* source, std::byte* result) {
      return cornerturn_permute_elements(source, result, std::int32_t(axes.size()), extents.data(), axes.data(), &given, nullptr,
                                         nullptr);
    });
  });
  EXPECT_GE(with_beta, kCases / 3);
  EXPECT_GE(with_factors, kCases / 16);
}

TEST_F(c_addresses, of_arrays_in_place_are_any) {
  unsigned squares = 0;
  for_each_case([&] {
    std::int64_t constexpr kSizes[] = {1, 2, 4, 8, 16, 3};
    test::square_problem p{.shape = {}, .axes = {}, .element_size = kSizes[generator() % std::size(kSizes)]};
    if (number % 2) {
      p.shape = shape(p.element_size), p.axes = axes_of(p.shape);
    } else {
      // Half of them are some tiles and one or two cache lines long, so that all rows begin at one place within a line.
      auto const tile = 2048 / std::max<std::int64_t>(4, p.element_size), line = 64 / p.element_size;
      auto const side = number % 4 ? below(600) : below(2) * tile + below(2) * line;
      p.shape = {side, side}, p.axes = {1, 0};
      ++squares;
    }
    into_line(0);
    test::check_inplace_guarded(p, either_end(), into_line(1), [](std::byte* data, test::square_problem const& each) {
      ASSERT_EQ(cornerturn_permute_inplace(data, std::int32_t(each.shape.size()), each.shape.data(), each.axes.data(),
                                           each.element_size, nullptr, nullptr),
                CORNERTURN_OK)
          << cornerturn_last_error();
    });
  });
  EXPECT_EQ(squares, kCases / 2);
}

/// An output of `cornerturn_quantize` between pages: values at any address, and scales, which are floats, at a multiple of 4.
class quantised_output {
 public:
  quantised_output(quantized_matrix const& given, std::vector<std::byte>& values, std::vector<float>& scales,
                   std::size_t into_line, test::guarded::beside where)
      : values_to_(values),
        scales_to_(scales),
        values_(values.size(), where, into_line),
        scales_(scales.size() * sizeof(float), where, into_line / sizeof(float) * sizeof(float)),
        passed_{sizeof passed_,         values_.data(),          given.pitch, reinterpret_cast<float*>(scales_.data()),
                given.scale_row_stride, given.scale_block_stride},
        is_wanted_(given.values) {
    std::ranges::copy(values, values_.data());
    std::ranges::copy(std::as_bytes(std::span(scales)), scales_.data());
  }

  cornerturn_quantized_matrix const* passed() const { return is_wanted_ ? &passed_ : nullptr; }

  /// Copies what was written to the arrays that were given.
  void take() const {
    EXPECT_TRUE(values_.is_whole() && scales_.is_whole());
    std::ranges::copy(values_.bytes(), values_to_.begin());
    std::ranges::copy(scales_.bytes(), std::as_writable_bytes(std::span(scales_to_)).begin());
  }

 private:
  std::vector<std::byte>& values_to_;
  std::vector<float>& scales_to_;
  test::guarded values_, scales_;
  cornerturn_quantized_matrix passed_;
  bool is_wanted_;
};

/// The tile program, which runs on the host, has the wanted result.
TEST_F(c_addresses, of_quantised_matrices_are_any) {
  for_each_case(
      [&] {
        auto each = test::random_quantize_case(generator);
        test::quantized_arrays wanted(each, number), got(each, number);
        for (auto const& launch : plan_quantize(wanted.given, wanted.source())) host::run(launch, wanted.source(), nullptr);
        auto const& given = got.given;
        test::guarded const source(got.elements.size(), either_end(), into_line(0));
        std::ranges::copy(got.elements, source.data());
        quantised_output const rows(given.row_wise, got.rows, got.row_scales, into_line(1), either_end());
        quantised_output const columns(given.column_wise, got.columns, got.column_scales, into_line(1), either_end());
        cornerturn_quantize_options options = CORNERTURN_QUANTIZE_OPTIONS_INIT;
        options.blocks = int(given.blocks), options.scale_address = given.scale_address;
        if (!given.scale_address) options.scale = given.given.scale;
        options.power_of_two = given.recipe.power_of_two, options.amax = given.amax, options.source_scales = given.source_scales;
        options.source_scale_row_stride = given.source_scale_row_stride;
        options.source_scale_block_stride = given.source_scale_block_stride;
        ASSERT_EQ(cornerturn_quantize(source.data(), int(each.source), each.rows, each.cols, given.pitch, int(each.destination),
                                      rows.passed(), columns.passed(), nullptr, &options),
                  CORNERTURN_OK)
            << cornerturn_last_error();
        rows.take(), columns.take();
        ASSERT_TRUE(got == wanted && source.is_whole()) << each.text();
      },
      0);
}

}  // namespace
}  // namespace cornerturn
