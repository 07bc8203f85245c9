#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "cornerturn/cache.hpp"
#include "cornerturn/cornerturn.h"
#include "cornerturn/cornerturn.hpp"
#include "problem/element_types.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"
#include "support/fake_clock.hpp"
#include "support/guarded.hpp"
#include "support/iota.hpp"
#include "support/message.hpp"
#include "support/plain.hpp"
#include "support/random_operation.hpp"
#include "support/scratch.hpp"
#include "support/seeds.hpp"
#include "support/special_numbers.hpp"

namespace cornerturn {
namespace {

using enum element_type;
using numbers = std::vector<std::int64_t>;

/// The numbers 0.5, 1.5, 2.5, and so on.
std::vector<float> halves(std::int64_t count) {
  auto result = test::iota<float>(count);
  for (auto& each : result) each += 0.5f;
  return result;
}

TEST(permute_elements, casts_and_scales) {
  auto const source = halves(6);
  std::vector<double> result(6);
  permute(source.data(), result.data(), {2, 3}, {1, 0}, {f32, f64, 2});
  EXPECT_EQ(result, (std::vector<double>{1, 7, 3, 9, 5, 11}));
}

TEST(permute_elements, adds_to_the_destination) {
  std::vector<float> const source{1, 2, 3, 4};
  std::vector<float> result{10, 20, 30, 40};
  permute(source.data(), result.data(), {2, 2}, {1, 0}, {f32, f32, 1, 0.5});
  EXPECT_EQ(result, (std::vector<float>{6, 13, 17, 24}));
}

TEST(permute_elements, takes_strides_in_elements_of_each_side) {
  auto const source = halves(12);
  std::vector<std::int16_t> result(8, -1);
  strided_copy(source.data() + 11, {-6, -2}, result.data(), {4, 1}, {2, 3}, {f32, i16});
  EXPECT_EQ(result, (std::vector<std::int16_t>{11, 9, 7, -1, 5, 3, 1, -1}));
}

/// Memory that a stream allocated during its capture is such memory.
TEST(permute_elements, touches_no_factors_that_the_cpu_cannot_read) {
  test::guarded const closed(0, test::guarded::beside::first);
  auto* const nowhere = reinterpret_cast<float*>(closed.data());
  void* const default_stream = reinterpret_cast<void*>(1);  // cudaStreamLegacy
  std::vector<float> const source(4);
  std::vector<float> result(4);
  for (auto const& [name, scale, bias] : {std::tuple{"scale", nowhere, nowhere}, {"bias", nullptr, nowhere}}) {
    element_operation const operation{.source = f32, .destination = f32, .scale = scale, .bias = bias, .factor_strides = {1, 0}};
    auto const said = test::message_of([&] {
      permute(source.data(), result.data(), {2, 2}, {1, 0}, operation, {.stream = default_stream});
    });
    EXPECT_TRUE(said.starts_with(std::string("operation.") + name + " is unregistered memory that the CPU cannot read; "))
        << said;
  }
}

/// Every call that writes to `result` reads scale or bias from it, or from just outside it.
TEST(permute_elements, factors_are_apart_from_the_destination) {
  std::vector<float> const source(6, 3);
  std::vector<float> memory(20, 1);
  auto* const result = memory.data() + 3;
  auto const said = [&](float const* scale, float const* bias, int call) {
    element_operation const operation{.source = f32, .destination = f32, .scale = scale, .bias = bias, .factor_strides = {1, 0}};
    auto const plan = plan_permute({2, 3}, {1, 0}, operation, {.processor = processor_kind::cpu});
    worker_threads const workers{.parallel_for = [](int, auto const& part) { part(0); }, .count = 1};
    void const* const list[] = {source.data(), source.data()};
    return test::message_of([&] {
      if (call == 0) permute(source.data(), result, {2, 3}, {1, 0}, operation);
      if (call == 1) strided_copy(source.data(), {1, 3}, result, {2, 1}, {3, 2}, operation);
      if (call == 2) plan.run(source.data(), result);
      if (call == 3) plan.run_on(workers, source.data(), result);
      if (call == 4) permute_batched(list, result, 6, {2, 3}, {1, 0}, operation);
    });
  };
  for (int const call : {0, 1, 2, 3, 4}) {
    auto* const end = result + (call == 4 ? 12 : 6);
    for (float const* const inside :
         {static_cast<float const*>(result) - 2, static_cast<float const*>(result), static_cast<float const*>(end) - 1}) {
      EXPECT_TRUE(said(inside, nullptr, call).starts_with("operation.scale is [0x")) << said(inside, nullptr, call);
      EXPECT_TRUE(said(source.data(), inside, call).starts_with("operation.bias is [0x")) << said(source.data(), inside, call);
      EXPECT_NE(said(inside, nullptr, call).find("; it must be apart from the destination, [0x"), std::string::npos);
    }
    EXPECT_EQ(memory, std::vector<float>(20, 1)) << call;
    EXPECT_EQ(said(result - 3, end, call), "");
    EXPECT_EQ(memory[3], 4) << call;
    memory.assign(20, 1);
  }
}

TEST(permute_elements, multiplies_by_factors_of_each_element) {
  std::vector<std::uint8_t> const pixels{0, 1, 2, 10, 11, 12};  // two pixels of three channels
  std::vector<float> const scale{1, 2, 0.5}, bias{0, -1, 4};
  std::vector<float> planes(6);
  element_operation operation{u8, f32};
  operation.scale = scale.data(), operation.bias = bias.data(), operation.factor_strides = {1, 0};
  permute(pixels.data(), planes.data(), {2, 3}, {1, 0}, operation);
  EXPECT_EQ(planes, (std::vector<float>{0, 10, 1, 21, 5, 10}));
  operation.bias = nullptr, operation.factor_strides = {0, 1};
  strided_copy(pixels.data() + 3, {-3, 1}, planes.data(), {3, 1}, {2, 3}, operation);
  EXPECT_EQ(planes, (std::vector<float>{10, 22, 6, 0, 2, 1}));
}

/// A view that runs backwards in the destination runs backwards through the factors, too.
TEST(permute_elements, factors_follow_modes_that_run_backwards) {
  auto const source = halves(4);
  std::vector<float> const scale{1, 10, 100, 1000};
  std::vector<float> result(4);
  element_operation operation{f32, f32};
  operation.scale = scale.data(), operation.factor_strides = {1};
  strided_copy(source.data(), {1}, result.data() + 3, {-1}, {4}, operation);
  EXPECT_EQ(result, (std::vector<float>{3500, 250, 15, 0.5}));
}

TEST(permute_elements, that_copies_bits_is_a_plain_permutation) {
  auto const plan = plan_permute({300, 200}, {1, 0}, {u16, i16}, {.processor = processor_kind::cpu});
  EXPECT_EQ(plan.describe(), plan_permute({300, 200}, {1, 0}, 2, {.processor = processor_kind::cpu}).describe());
}

TEST(permute_elements, bytes_of_booleans_become_0_or_1) {
  std::vector<std::uint8_t> source(300 * 70), result(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = std::uint8_t(i * 37);
  for (auto const type : {u8, i8}) {
    permute(source.data(), result.data(), {300, 70}, {1, 0}, {boolean, type});
    for (std::size_t i = 0; i < source.size(); ++i) ASSERT_EQ(result[i % 70 * 300 + i / 70], source[i] != 0) << i;
  }
  EXPECT_TRUE(copies_bits({boolean, boolean}) && copies_bits({u8, i8}));
}

TEST(permute_elements, saturates_infinity_in_its_own_type) {
  std::vector<std::uint8_t> const source{0x7c, 0xfc, 0x7b, 0x3c, 0x7d, 0x01};
  std::vector<std::uint8_t> result(6);
  permute(source.data(), result.data(), {2, 3}, {1, 0},
          element_operation{.source = f8_e5m2, .destination = f8_e5m2, .saturate = true});
  EXPECT_GT(result[3], 0x7c);  // some NaN
  result[3] = 0;
  EXPECT_EQ(result, (std::vector<std::uint8_t>{0x7b, 0x3c, 0xfb, 0, 0x7b, 0x01}));
  permute(source.data(), result.data(), {2, 3}, {1, 0}, element_operation{.source = f8_e5m2, .destination = f8_e5m2});
  EXPECT_EQ(result, (std::vector<std::uint8_t>{0x7c, 0x3c, 0xfc, 0x7d, 0x7b, 0x01}));
  EXPECT_TRUE(copies_bits({.source = f8_e4m3fn, .destination = f8_e4m3fn, .saturate = true}));  // it has no infinity
}

TEST(permute_elements, plans_run_and_are_described) {
  auto const plan = plan_permute({200, 300}, {1, 0}, {f32, bf16, 0.5}, {.processor = processor_kind::cpu});
  EXPECT_NE(plan.describe().find("(f32 to bf16, alpha 0.5)"), std::string::npos) << plan.describe();
  auto const source = halves(60'000);
  std::vector<std::uint16_t> result(60'000), other(60'000);
  plan.run(source.data(), result.data());
  permute(source.data(), other.data(), {200, 300}, {1, 0}, {f32, bf16, 0.5});
  EXPECT_EQ(result, other);
  EXPECT_FALSE(plan_candidates({200, 300}, {1, 0}, {f32, bf16}).empty());
  EXPECT_FALSE(plan.explain().instructions.empty());
}

TEST(permute_elements, calls_with_other_factors_have_other_plans) {
  cache_clear();
  auto const source = halves(6);
  std::vector<float> result(6);
  for (double const alpha : {2.0, 3.0, 2.0}) {
    permute(source.data(), result.data(), {2, 3}, {1, 0}, {f32, f32, alpha});
    EXPECT_EQ(result.front(), 0.5 * alpha);
  }
  EXPECT_EQ(cache_info().hits, 1u);
}

TEST(permute_elements, follows_the_definition_on_random_problems) {
  test::for_each_seed(300, [](unsigned seed) {
    std::mt19937 generator(seed);
    auto const p = test::random_typed_problem(generator);
    auto const source = test::numbered_source(p, source_range(p).high, 0);
    std::vector<std::byte> const before(std::size_t(destination_range(p).high) + 16, std::byte{0x3C});
    auto expected = before;
    test::permute_plainly(p, source.data(), expected.data());
    test::unify_nans(p, expected.data());

    numbers shape, from, to;
    auto operation = *p.operation;
    for (mode const& m : p.modes) {
      shape.push_back(m.extent), from.push_back(m.source_stride), to.push_back(m.destination_stride);
      if (is_affine(operation)) operation.factor_strides.push_back(m.factor_stride);
    }
    for (int times = 0; times < 2; ++times) {  // planned, and then from the cache
      auto result = before;
      strided_copy(source.data() + p.source_offset * p.element_size.source, from,
                   result.data() + p.destination_offset * p.element_size.destination, to, shape, operation);
      test::unify_nans(p, result.data());
      ASSERT_TRUE(result == expected) << to_string(p);
    }
  });
}

TEST(permute_elements, nothing_is_moved_of_empty_arrays) {
  permute(nullptr, nullptr, {0, 3}, {1, 0}, {f32, bf16});
  EXPECT_EQ(plan_permute({0, 3}, {1, 0}, {f32, bf16}).describe(), "nothing to move");
}

TEST(permute_elements, bad_operations_are_refused) {
  std::vector<std::complex<float>> source(4), result(4);
  auto const message = [&](element_operation const& operation, permute_options const& options = {}) {
    return test::message_of([&] { permute(source.data(), result.data(), {2, 2}, {1, 0}, operation, options); });
  };
  auto const numbers_of_types = fmt::format("from 0 to {}", std::size(kElementTypes) - 1);
  EXPECT_EQ(message({element_type(99), f32}), "element_type is 99; it must be " + numbers_of_types);
  EXPECT_EQ(message({f32, element_type(-1)}), "element_type is -1; it must be " + numbers_of_types);
  EXPECT_EQ(message({c64, f32}), "operation.destination is f32; it must be complex, because the source is c64");
  EXPECT_EQ(message({f32, f64, {1, 2}}), "operation.alpha is 1+2i; it must be real, because the destination is f64");
  EXPECT_EQ(message({f32, f64, 1, {0, 1}}), "operation.beta is 0+1i; it must be real, because the destination is f64");
  EXPECT_EQ(message({.source = f32, .destination = u8, .saturate = true}),
            "operation.saturate is true; it must be false, because the destination is u8; saturation is for " +
                list_text(names_of_types(is_8_bit_float), "and"));
  EXPECT_EQ(message({.source = f32, .destination = f8_e5m2, .saturate = true}), "");
  float const factors[] = {1, 2};
  EXPECT_EQ(message({.source = f32, .alpha = 2, .scale = factors}), "operation.alpha is 2; it must be 1 with scale or bias");
  EXPECT_EQ(message({.source = f32, .beta = 2, .bias = factors}), "operation.beta is 2; it must be 0 with scale or bias");
  EXPECT_EQ(message({.source = f32, .destination = c64, .scale = factors}),
            "operation.destination is c64; it must be real with scale or bias");
  EXPECT_EQ(message({.source = f32, .scale = factors, .factor_strides = {1}}),
            "operation.factor_strides is (1); it must be 2 numbers, one for each mode of the destination");
  EXPECT_EQ(
      message({.source = f32, .scale = factors, .factor_strides = {std::int64_t(1) << 61, 0}}),
      "factor layout is extents (2, 2) with strides (2305843009213693952, 0) from 0, 4 bytes each; it must be one whose bytes "
      "are counted in 64 bits");
}

TEST(permute_elements, swaps_bytes) {
  std::vector<std::uint32_t> const big{0x01020304, 0x7fa00000, 0x0000803f, 4, 5, 6};  // a signalling NaN among them
  std::vector<std::uint32_t> result(6);
  element_operation operation{.source = f32, .destination = f32, .source_swapped = true};
  permute(big.data(), result.data(), {2, 3}, {1, 0}, operation);
  EXPECT_EQ(result, (std::vector<std::uint32_t>{0x04030201, 0x04000000, 0x0000a07f, 0x05000000, 0x3f800000, 0x06000000}));
  operation.destination_swapped = true;
  permute(big.data(), result.data(), {2, 3}, {1, 0}, operation);
  EXPECT_EQ(result, (std::vector<std::uint32_t>{big[0], big[3], big[1], big[4], big[2], big[5]})) << "the same bits";

  std::vector<double> numbers(6);
  cornerturn_operation of_c = CORNERTURN_OPERATION_INIT(CORNERTURN_U32, CORNERTURN_F64);
  of_c.source_swapped = 1, of_c.alpha[0] = 2;
  std::int64_t const shape[] = {6}, axes[] = {0};
  ASSERT_EQ(cornerturn_permute(big.data(), numbers.data(), 1, shape, axes, cornerturn_changed_by(&of_c), nullptr, nullptr),
            CORNERTURN_OK);
  EXPECT_EQ(numbers[0], 2.0 * 0x04030201);
  of_c.destination_swapped = 1;
  ASSERT_EQ(cornerturn_permute(big.data(), numbers.data(), 1, shape, axes, cornerturn_changed_by(&of_c), nullptr, nullptr),
            CORNERTURN_OK);
  EXPECT_EQ(__builtin_bswap64(std::bit_cast<std::uint64_t>(numbers[0])), std::bit_cast<std::uint64_t>(2.0 * 0x04030201));
}

/// Bytes have no order.
TEST(permute_elements, swaps_no_single_bytes) {
  std::vector<std::uint8_t> const source{1, 2, 3, 4, 5, 6};
  std::vector<std::uint8_t> result(6);
  permute(source.data(), result.data(), {2, 3}, {1, 0},
          element_operation{.source = u8, .destination = u8, .source_swapped = true});
  EXPECT_EQ(result, (std::vector<std::uint8_t>{1, 4, 2, 5, 3, 6}));
}

TEST(permute_elements_in_c, casts_and_reports_errors) {
  auto const source = halves(6);
  std::vector<double> result(6);
  std::int64_t const shape[] = {2, 3}, axes[] = {1, 0};
  cornerturn_operation operation = CORNERTURN_OPERATION_INIT(CORNERTURN_F32, CORNERTURN_F64);
  operation.alpha[0] = 2;
  ASSERT_EQ(cornerturn_permute(source.data(), result.data(), 2, shape, axes, cornerturn_changed_by(&operation), nullptr, nullptr),
            CORNERTURN_OK);
  EXPECT_EQ(result, (std::vector<double>{1, 7, 3, 9, 5, 11}));

  cornerturn_plan* plan = nullptr;
  cornerturn_options options = CORNERTURN_OPTIONS_INIT;
  options.processor = CORNERTURN_CPU;
  ASSERT_EQ(cornerturn_plan_permute(&plan, 2, shape, nullptr, axes, nullptr, cornerturn_changed_by(&operation), &options),
            CORNERTURN_OK);
  result.assign(6, 0);
  EXPECT_EQ(cornerturn_plan_run(plan, source.data(), result.data(), nullptr), CORNERTURN_OK);
  EXPECT_EQ(result[1], 7);
  cornerturn_plan_destroy(plan);

  // With strides the shape is the destination's.
  std::int64_t const turned[] = {3, 2}, from[] = {1, 3}, to[] = {2, 1};
  result.assign(6, 0);
  EXPECT_EQ(cornerturn_strided_copy(source.data(), from, result.data(), to, 2, turned, cornerturn_changed_by(&operation), nullptr,
                                    nullptr),
            CORNERTURN_OK);
  EXPECT_EQ(result, (std::vector<double>{1, 7, 3, 9, 5, 11}));
  ASSERT_EQ(cornerturn_plan_create(&plan, 2, turned, from, to, cornerturn_changed_by(&operation), &options), CORNERTURN_OK);
  result.assign(6, 0);
  EXPECT_EQ(cornerturn_plan_run(plan, source.data(), result.data(), nullptr), CORNERTURN_OK);
  EXPECT_EQ(result[1], 7);
  cornerturn_plan_destroy(plan);

  result.assign(6, 0);
  EXPECT_EQ(cornerturn_permute(source.data(), result.data(), 2, shape, axes, {-1, &operation}, nullptr, nullptr), CORNERTURN_OK);
  EXPECT_EQ(result[1], 7);

  test::scratch const folder;
  setenv("CORNERTURN_CACHE_DIR", (folder / "").c_str(), 1);
  cache_clear();  // later plans read the choices in the folder
  std::int64_t const large[] = {300, 200};
  test::fake_clock const clock(1e-3);
  double seconds = 0, estimated = 0;
  EXPECT_EQ(cornerturn_tune_permute(2, large, axes, cornerturn_changed_by(&operation), &options, &seconds, &estimated),
            CORNERTURN_OK);
  EXPECT_DOUBLE_EQ(seconds, 1e-3);  // as all candidates take by this clock
  EXPECT_DOUBLE_EQ(estimated, 1e-3);
  ASSERT_EQ(cornerturn_plan_permute(&plan, 2, large, nullptr, axes, nullptr, cornerturn_changed_by(&operation), &options),
            CORNERTURN_OK);
  std::array<char, 1000> text;
  EXPECT_EQ(cornerturn_plan_describe(plan, text.data(), text.size(), nullptr), CORNERTURN_OK);
  EXPECT_TRUE(std::string(text.data()).ends_with("; measured before")) << text.data();
  cornerturn_plan_destroy(plan);
  unsetenv("CORNERTURN_CACHE_DIR");
  cache_clear();

  float const scale[] = {1, 2, 3};
  cornerturn_operation by_mode = CORNERTURN_OPERATION_INIT(CORNERTURN_F32, CORNERTURN_F32);
  std::int64_t const along_first[] = {1, 0};
  by_mode.scale = scale, by_mode.factor_strides = along_first;
  std::vector<float> scaled(6);
  EXPECT_EQ(cornerturn_permute(source.data(), scaled.data(), 2, shape, axes, cornerturn_changed_by(&by_mode), nullptr, nullptr),
            CORNERTURN_OK);
  by_mode.scale = scaled.data() + 5;
  EXPECT_EQ(cornerturn_permute(source.data(), scaled.data(), 2, shape, axes, cornerturn_changed_by(&by_mode), nullptr, nullptr),
            CORNERTURN_BAD_ARGUMENT);
  EXPECT_TRUE(std::string(cornerturn_last_error()).starts_with("operation.scale is [0x")) << cornerturn_last_error();
  EXPECT_EQ(scaled, (std::vector<float>{0.5, 3.5, 3, 9, 7.5, 16.5}));

  operation.saturate = 1;
  EXPECT_EQ(cornerturn_permute(source.data(), result.data(), 2, shape, axes, cornerturn_changed_by(&operation), nullptr, nullptr),
            CORNERTURN_BAD_ARGUMENT);
  EXPECT_TRUE(std::string(cornerturn_last_error()).starts_with("operation.saturate is true; ")) << cornerturn_last_error();
  operation.destination_type = 17;
  EXPECT_EQ(cornerturn_permute(source.data(), result.data(), 2, shape, axes, cornerturn_changed_by(&operation), nullptr, nullptr),
            CORNERTURN_BAD_ARGUMENT);
  EXPECT_STREQ(cornerturn_last_error(), "operation.destination_type is 17; it must be 0 to 16");
  operation.size = 8;
  cornerturn_permute(source.data(), result.data(), 2, shape, axes, cornerturn_changed_by(&operation), nullptr, nullptr);
  EXPECT_TRUE(std::string(cornerturn_last_error()).starts_with("operation.size is 8; it must be")) << cornerturn_last_error();
}

}  // namespace
}  // namespace cornerturn
