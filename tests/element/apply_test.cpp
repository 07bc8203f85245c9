#include "element/apply.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "element/select.hpp"

namespace cornerturn::element {
namespace {

using enum element_type;

template <class D, class S>
D changed(S s, element_operation const& operation, D d = {}) {
  auto const by = factors::of(operation);
  return by.reads_destination ? applied<true>(by, s, d) : applied<false>(by, s, d);
}

TEST(apply, rounds_the_sum_once) {
  float const s = 1 + 0x1p-12f, d = -1;
  EXPECT_EQ(changed(s, {f32, f32, 1 + 0x1p-12, 1}, d), std::fma(1 + 0x1p-12f, s, d));
  EXPECT_NE(changed(s, {f32, f32, 1 + 0x1p-12, 1}, d), (1 + 0x1p-12f) * s + d);
}

TEST(apply, does_not_read_the_destination_without_beta) {
  EXPECT_EQ(changed(2.0f, {f32, f32, 3}, std::nanf("")), 6);
  EXPECT_TRUE(std::signbit(changed(-0.0f, {f32, f64, 2}, 0.0)));
}

TEST(apply, computes_with_64_bits_if_a_side_has_them) {
  EXPECT_EQ(changed<double>(std::int32_t(16'777'217), {i32, f64}), 16'777'217);
  EXPECT_EQ(changed<float>(1 + 0x1p-24 + 0x1p-40, {f64, f32}), 1 + 0x1p-23f) << "not by way of an intermediate rounding";
  EXPECT_EQ(changed<bf16_bits>(1 + 0x1p-8 + 0x1p-40, {f64, bf16}).bits, 0x3f81) << "rounding to f32 first would make it even";
}

TEST(apply, truncates_and_limits_to_integers) {
  EXPECT_EQ(changed<std::int8_t>(-1.9f, {f32, i8}), -1);
  EXPECT_EQ(changed<std::int8_t>(300.0f, {f32, i8}), 127);
  EXPECT_EQ(changed<std::uint8_t>(-5.0f, {f32, u8}), 0);
  EXPECT_EQ(changed<std::int64_t>(1e30, {f64, i64}), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(changed<std::uint64_t>(1e30, {f64, u64}), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(changed<std::int32_t>(std::nanf(""), {f32, i32}), 0);
}

TEST(apply, integers_become_others_modulo_their_size) {
  EXPECT_EQ(changed<std::int8_t>(std::int32_t(300), {i32, i8}), 44);
  EXPECT_EQ(changed<std::uint64_t>(std::int8_t(-1), {i8, u64}), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(changed<std::int64_t>(std::int64_t(9'007'199'254'740'993), {i64, i64}), 9'007'199'254'740'993);
  EXPECT_EQ(changed<std::int8_t>(std::int32_t(300), {i32, i8, 1, 1}), 127) << "a sum is limited";
}

TEST(apply, booleans_are_0_or_1) {
  EXPECT_EQ(changed<boolean_bits>(std::nanf(""), {f32, boolean}).bits, 1);
  EXPECT_EQ(changed<boolean_bits>(-0.0f, {f32, boolean}).bits, 0);
  EXPECT_EQ(changed<boolean_bits>(std::int64_t(1) << 40, {i64, boolean}).bits, 1);
  EXPECT_EQ(changed<std::int32_t>(boolean_bits{255}, {boolean, i32}), 1);
}

TEST(apply, complex_elements) {
  using complex = complex_of<float>;
  auto const conjugated = changed(complex{1, 2}, {c64, c64, 1, 0, true}, complex{});
  EXPECT_EQ(conjugated.real, 1);
  EXPECT_EQ(conjugated.imaginary, -2);
  auto const product = changed(complex{1, 2}, {c64, c64, {3, 4}, {0, 1}}, complex{10, 20});  // (3+4i)(1+2i) + i(10+20i)
  EXPECT_EQ(product.real, -5 - 20);
  EXPECT_EQ(product.imaginary, 10 + 10);
  auto const made = changed<complex_of<double>>(1.5f, {f32, c128, 2});
  EXPECT_EQ(made.real, 3);
  EXPECT_EQ(made.imaginary, 0);
  auto const scaled = changed(complex{HUGE_VALF, 0}, {c64, c64, 2}, complex{});
  EXPECT_EQ(scaled.imaginary, 0) << "a real factor multiplies both parts by itself alone";
}

}  // namespace
}  // namespace cornerturn::element
