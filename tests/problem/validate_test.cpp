#include "problem/validate.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "problem/element_types.hpp"
#include "problem/permuted.hpp"
#include "support/message.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

using test::refused_by;

test::refused refused_by(problem const& p) {
  return refused_by([&] { validate(p); });
}

TEST(validate, accepts_what_can_be_moved) {
  EXPECT_EQ(refused_by(problem{}), test::refused());
  EXPECT_EQ(refused_by(problem{.modes = {{3, -1, 4}, {4, 0, 1}}, .element_size = 12}), test::refused());
  EXPECT_EQ(refused_by(problem{.modes = std::vector<mode>(64, {1, 5, 0}), .element_size = kMost}), test::refused());
  EXPECT_EQ(refused_by(problem{.modes = {{0, kMost, 0}, {kMost, kMost, kMost}, {kMost, 3, 3}}}), test::refused());
  EXPECT_EQ(refused_by(problem{.modes = {{0, 0, 0}, {2, 0, 0}}}), test::refused());
  EXPECT_EQ(refused_by(problem{.modes = {{kMost, 1, 1}}}), test::refused());
}

TEST(validate, names_the_argument_its_value_and_what_is_allowed) {
  EXPECT_EQ(refused_by(problem{.modes = {}, .element_size = 0}), (test::refused{"element_size", "0", "1 or more"}));
  EXPECT_EQ(refused_by(problem{.modes = {}, .element_size = -4}), (test::refused{"element_size", "-4", "1 or more"}));
  EXPECT_EQ(refused_by(problem{.modes = std::vector<mode>(65)}), (test::refused{"rank", "65", "64 or less"}));
  EXPECT_EQ(refused_by(problem{.modes = {{2, 1, 1}, {-3, 1, 1}}}), (test::refused{"extents", "-3", "0 or more"}));
  EXPECT_EQ(refused_by(problem{.modes = {{0, 1, 1}, {-3, 1, 1}}}), (test::refused{"extents", "-3", "0 or more"}));
  EXPECT_EQ(test::message_of([] {
              validate({.modes = {{2, 1, 1}, {-3, 1, 1}}});
            }),
            "extent of axis 1 is -3; it must be 0 or more");
  EXPECT_EQ(refused_by(problem{.modes = {{5, 1, 0}}}),
            (test::refused{"destination_strides", "0", "other than 0, because its 5 indices would write one address"}));
}

TEST(validate, refuses_what_64_bits_cannot_count) {
  EXPECT_EQ(refused_by(problem{.modes = {{4294967296, 0, 1}, {2147483648, 0, 1}}}),
            (test::refused{"size", "4294967296 x 2147483648 elements of 1 byte", "at most 2^63 - 1 bytes"}));
  EXPECT_EQ(refused_by(problem{.modes = {{kMost / 2, 0, 1}}, .element_size = 4}),
            (test::refused{"size", "4611686018427387903 elements of 4 bytes", "at most 2^63 - 1 bytes"}));
  EXPECT_EQ(refused_by(problem{.modes = {{3, kMost / 2 + 1, 1}}}),
            (test::refused{"source_strides", "extents (3) with strides (4611686018427387904) from 0, 1 bytes each",
                           "one whose bytes are counted in 64 bits"}));
  EXPECT_EQ(refused_by(problem{.modes = {{2, 1, kMost / 8}, {2, 1, 1}}, .element_size = 16}),
            (test::refused{"destination_strides", "extents (2, 2) with strides (1152921504606846975, 1) from 0, 16 bytes each",
                           "one whose bytes are counted in 64 bits"}));
  EXPECT_NE(refused_by(problem{.modes = {{2, kLeast, 1}}}), test::refused());
  EXPECT_NE(refused_by(problem{.modes = {{2, 1, kLeast}}}), test::refused());
  EXPECT_NE(refused_by(problem{.modes = {}, .source_offset = kMost}), test::refused());
}

TEST(validate, refuses_destinations_whose_modes_may_meet) {
  EXPECT_EQ(refused_by(problem{.modes = {{3, 0, 4}, {4, 0, 1}}}), test::refused());
  EXPECT_EQ(refused_by(problem{.modes = {{4, 0, 1}, {1, 0, 0}, {3, 0, -4}, {5, 0, 12}}}), test::refused());
  EXPECT_EQ(refused_by(problem{.modes = {{4, 0, -2}, {2, 0, 7}}}), test::refused());
  EXPECT_EQ(refused_by(problem{.modes = {{4, 0, 1}, {3, 0, 3}}}),
            (test::refused{"destination_strides", "3", "4 or more in magnitude, past the span of the modes with smaller ones"}));
  EXPECT_EQ(refused_by(problem{.modes = {{3, 0, -3}, {4, 0, 1}}}),
            (test::refused{"destination_strides", "-3", "4 or more in magnitude, past the span of the modes with smaller ones"}));
  EXPECT_EQ(refused_by(problem{.modes = {{2, 0, 1}, {2, 0, 1}}}),
            (test::refused{"destination_strides", "1", "2 or more in magnitude, past the span of the modes with smaller ones"}));
  // apart, but interleaved
  EXPECT_NE(refused_by(problem{.modes = {{3, 0, 2}, {2, 0, 3}}}), test::refused());
  EXPECT_EQ(refused_by(problem{.modes = {{2, 0, 1}, {2, 0, 1}, {0, 0, 5}}}), test::refused());
}

TEST(validate, finds_the_bytes_touched) {
  problem const p{.modes = {{3, -10, 1}, {4, 2, 3}}, .element_size = 4, .source_offset = 20, .destination_offset = -1};
  EXPECT_EQ(source_range(p), (byte_range{0, 27 * 4}));
  EXPECT_EQ(destination_range(p), (byte_range{-4, 11 * 4}));
  EXPECT_EQ(source_range({.modes = {{0, 7, 7}}, .source_offset = 9}), (byte_range{0, 0}));
}

TEST(refuse_overlap, looks_at_addresses) {
  problem const p{.modes = {{16, 1, 1}}, .element_size = 1};
  auto at = [](std::uintptr_t address) { return reinterpret_cast<void*>(address); };
  auto message = [&](problem const& problem, std::uintptr_t source, std::uintptr_t destination) {
    return refused_by([&] { refuse_overlap(problem, at(source), at(destination)); });
  };
  EXPECT_EQ(message(p, 0x1000, 0x1010), test::refused());
  EXPECT_EQ(message(p, 0x1010, 0x1000), test::refused());
  EXPECT_EQ(message(p, 0x1000, 0x100f),
            (test::refused{"destination", "[0x100f, 0x101f)", "apart from the source, [0x1000, 0x1010)"}));
  EXPECT_EQ(message(p, 0x1000, 0x1000),
            (test::refused{"destination", "[0x1000, 0x1010)", "apart from the source, [0x1000, 0x1010)"}));
  EXPECT_EQ(message(p, 0, 0x1000), (test::refused{"source", "null", "an address, since there is something to move"}));
  EXPECT_EQ(message(p, 0x1000, 0), (test::refused{"destination", "null", "an address, since there is something to move"}));
  EXPECT_EQ(message({.modes = {{0, 1, 1}}}, 0, 0), test::refused());

  problem const backwards{.modes = {{16, -1, 1}}, .element_size = 1};
  EXPECT_EQ(message(backwards, 0x1010, 0x1000),
            (test::refused{"destination", "[0x1000, 0x1010)", "apart from the source, [0x1001, 0x1011)"}));
}

TEST(refuse_overlap, of_arrays_that_have_names) {
  auto const message = [](std::uintptr_t given, std::uintptr_t other, byte_range const& range) {
    auto at = [](std::uintptr_t address) { return reinterpret_cast<void*>(address); };
    return refused_by([&] { refuse_overlap({"a", at(given), range}, {"b", at(other), {0, 16}}); });
  };
  EXPECT_EQ(message(0x1010, 0x1000, {-1, 1}), (test::refused{"a", "[0x100f, 0x1011)", "apart from b, [0x1000, 0x1010)"}));
  EXPECT_EQ(message(0x1010, 0x1000, {0, 1}), test::refused());
  EXPECT_EQ(message(0x1008, 0x1000, {0, 0}), test::refused());
  EXPECT_EQ(message(0, 0x1000, {0x1000, 0x1010}), test::refused());
  EXPECT_EQ(message(0x1008, 0, {-0x1008, 16}), test::refused());
}

TEST(validate, finds_the_bytes_of_factors) {
  element_operation operation{.source = element_type::f32, .destination = element_type::f32};
  problem const p{.modes = {{3, 1, 1}, {4, 3, 3}}};
  EXPECT_EQ(factor_range(p), byte_range{});
  EXPECT_EQ(factor_range(with_operation(p, operation)), byte_range{});
  operation.bias = &operation, operation.factor_strides = {-2, 5};
  EXPECT_EQ(factor_range(with_operation(p, operation)), (byte_range{-4 * 4, 16 * 4}));
  operation.destination = element_type::i64;
  EXPECT_EQ(factor_range(with_operation(p, operation)), (byte_range{-4 * 8, 16 * 8}));
}

TEST(permutation, gives_a_dense_result) {
  std::int64_t const extents[] = {2, 3, 4}, axes[] = {2, 0, -2};
  auto const c = dense_strides(extents, storage_order::c);
  EXPECT_EQ(permutation(extents, c, axes, 8), (problem{.modes = {{4, 1, 6}, {2, 12, 3}, {3, 4, 1}}, .element_size = 8}));
  auto const fortran = dense_strides(extents, storage_order::fortran);
  EXPECT_EQ(permutation(extents, fortran, axes, 8), (problem{.modes = {{4, 6, 6}, {2, 1, 3}, {3, 2, 1}}, .element_size = 8}));
}

TEST(permutation, takes_strides_for_either_side) {
  std::int64_t const extents[] = {2, 3}, axes[] = {1, 0}, source[] = {-3, 0}, destination[] = {1, 4};
  EXPECT_EQ(permutation(extents, {}, axes, 2), (problem{.modes = {{3, 1, 2}, {2, 3, 1}}, .element_size = 2}));
  EXPECT_EQ(permutation(extents, source, axes, 2, destination), (problem{.modes = {{3, 0, 1}, {2, -3, 4}}, .element_size = 2}));
  EXPECT_EQ(refused_by([&] { permutation(extents, std::span(source, 1), axes, 2); }),
            (test::refused{"source_strides", "(-3)", "2 numbers, one for each mode"}));
  EXPECT_EQ(refused_by([&] { permutation(extents, source, axes, 2, std::span(destination, 1)); }),
            (test::refused{"destination_strides", "(1)", "2 numbers, one for each mode"}));
}

TEST(permutation, names_bad_axes) {
  auto message = [](std::vector<std::int64_t> axes, std::size_t rank) { return refused_by([&] { normalise_axes(axes, rank); }); };
  EXPECT_EQ(message({0, -2, 2}, 3), test::refused());
  EXPECT_EQ(message({}, 0), test::refused());
  EXPECT_EQ(message({0, 1, 1}, 3), (test::refused{"axes", "(0, 1, 1)", "a permutation of 0 to 2 for an array of rank 3"}));
  EXPECT_EQ(message({0, 1}, 3), (test::refused{"axes", "(0, 1)", "a permutation of 0 to 2 for an array of rank 3"}));
  EXPECT_EQ(message({0, 1, 3}, 3), (test::refused{"axes", "(0, 1, 3)", "a permutation of 0 to 2 for an array of rank 3"}));
  EXPECT_EQ(message({0, 1, -4}, 3), (test::refused{"axes", "(0, 1, -4)", "a permutation of 0 to 2 for an array of rank 3"}));
  EXPECT_EQ(message({0}, 0), (test::refused{"axes", "(0)", "empty for an array of rank 0"}));
}

TEST(dense_strides, counts_in_64_bits) {
  auto message = [](std::vector<std::int64_t> extents) { return refused_by([&] { dense_strides(extents, storage_order::c); }); };
  EXPECT_EQ(message({4294967296, 4294967296}),
            (test::refused{"size", "4294967296 x 4294967296 elements", "at most 2^63 - 1 elements"}));
  EXPECT_EQ(message({4294967296, 4294967296, 0}), test::refused());
  EXPECT_EQ(message({2, -1}), (test::refused{"extents", "-1", "0 or more"}));
}

}  // namespace
}  // namespace cornerturn
