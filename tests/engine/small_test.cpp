#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "kernel/small/plan.hpp"
#include "support/seeds.hpp"
#include "support/ways.hpp"

namespace cornerturn {
namespace {

std::vector<candidate> small_candidates(problem const& canonical, alignment const& aligned) {
  std::vector<candidate> result;
  for (auto const& each : candidates_of(canonical, aligned))
    if (std::holds_alternative<small_plan>(each.steps.front().kernel)) result.push_back(each);
  return result;
}

problem matrices(std::int64_t batch, std::int64_t rows, std::int64_t cols, std::int64_t gap, std::int64_t size) {
  return {.modes = {{batch, rows * cols, (rows + gap) * cols}, {rows, cols, 1}, {cols, 1, rows + gap}}, .element_size = size};
}

/// Checks all plans that `small` has for the problem, and that they have these forms.
void check_forms(problem const& p, std::size_t shift, std::vector<int> const& forms) {
  std::vector<int> found;
  for (auto const& each : small_candidates(canonical(p), {int(shift), int(shift)}))
    found.push_back(std::get<small_plan>(each.steps.front().kernel).form);
  std::ranges::sort(found);
  EXPECT_EQ(found, forms) << to_string(p);
  test::check_ways(p, shift % 16, shift % 16, small_candidates);
}

/// The indices of the forms for elements of one size that load and store so many elements at once.
std::vector<int> forms_with(std::int64_t size, int load, int store) {
  std::vector<int> result;
  auto const forms = small_forms_of(int(size));
  for (int i = 0; i < std::ssize(forms); ++i)
    if (forms[std::size_t(i)].load <= load && forms[std::size_t(i)].store <= store) result.push_back(i);
  return result;
}

TEST(small, follows_the_definition_in_every_form) {
  for (std::int64_t const size : {1, 2, 4})
    for (std::int64_t const rows : {2, 3, 4, 9})
      for (std::int64_t const cols : {2, 3, 4, 10}) {
        int const unit = int(8 / size);
        check_forms(matrices(3, 9 * unit + rows * unit, 9 * unit + cols * unit, 0, size), 16, forms_with(size, unit, unit));
      }
}

TEST(small, leaves_narrow_matrices_without_vectors_to_others) {
  check_forms(matrices(3, 4, 2, 0, 4), 16, {0});
  check_forms(matrices(3, 4, 3, 0, 4), 16, {});
}

TEST(small, stores_words_if_the_rows_of_the_destination_are_words) {
  for (std::int64_t const rows : {36, 100, 132})
    for (std::int64_t const cols : {11, 32, 77, 131}) {
      check_forms(matrices(3, rows, cols, 4, 1), 4, forms_with(1, 1, 4));
      check_forms(matrices(3, rows, cols, 4, 2), 4, forms_with(2, 1, 2));
    }
}

TEST(small, follows_the_definition_element_by_element) {
  for (int const size : {1, 2, 4, 8, 16})
    for (std::int64_t const rows : {9, 31, 33, 77})
      for (std::int64_t const cols : {11, 32, 35, 130})
        check_forms(matrices(3, rows, cols, 1, size), size, forms_with(size, 1, 1));
}

TEST(small, follows_the_definition_on_random_matrices) {
  test::for_each_seed(120, [](unsigned seed) {
    std::mt19937 generator(seed);
    auto const draw = [&](int most) { return std::int64_t(generator() % unsigned(most)); };
    auto const size = std::int64_t(1) << draw(5), unit = seed % 3 == 0 ? 1 : std::max<std::int64_t>(1, (seed % 3) * 4 / size);
    auto const rows = (1 + draw(20)) * unit, cols = (1 + draw(20)) * unit;
    auto p = problem{.modes = {{1 + draw(4), (rows + 3 * unit) * 25 * unit * 16, rows * cols * 2},
                               {rows, cols + draw(3) * unit, 1},
                               {cols, 1, rows + draw(2) * unit}},
                     .element_size = size};
    p.source_offset = draw(3) * unit;
    p.destination_offset = draw(3) * unit;
    auto const shift = std::size_t(unit * size % 16);
    test::check_ways(p, shift, shift, small_candidates);
  });
}

TEST(small, is_for_few_tiles) {
  auto const has = [](problem const& p) { return !small_candidates(canonical(p), {}).empty(); };
  auto const most = std::int64_t(h200_model().small.blocks);
  EXPECT_TRUE(has(matrices(most, 32, 32, 0, 4)));
  EXPECT_FALSE(has(matrices(most + 1, 32, 32, 0, 4)));
  EXPECT_TRUE(has(matrices(most / 4, 63, 63, 0, 2)));
  EXPECT_FALSE(has(matrices(most / 4 + 1, 63, 63, 0, 2)));
  EXPECT_TRUE(has(matrices(most / 2, 31, 31, 0, 1)));
  EXPECT_FALSE(has(matrices(most / 2 + 1, 31, 31, 0, 1)));
  EXPECT_TRUE(has(matrices(1, 9, 31, 0, 4)));
  EXPECT_FALSE(has(matrices(1 << 22, 32, 32, 0, 4)));
  EXPECT_FALSE(has(matrices(1, std::int64_t(1) << 31, 32, 0, 4)));
}

TEST(small, has_offsets_of_32_bits) {
  auto const has = [](std::int64_t source_pitch, std::int64_t destination_pitch, std::int64_t batch_stride) {
    problem const p{.modes = {{2, batch_stride, 100}, {100, source_pitch, 1}, {100, 1, destination_pitch}},
                    .element_size = 4,
                    .source_offset = source_pitch < 0 ? -99 * source_pitch : 0};
    return !small_candidates(canonical(p), {}).empty();
  };
  constexpr std::int64_t kShort = 10'000'000, kLong = 20'000'000;
  EXPECT_TRUE(has(kShort, kShort, 100));
  EXPECT_FALSE(has(100, kLong, 10'000));
  EXPECT_FALSE(has(kLong, 1000, 100));
  EXPECT_TRUE(has(-kShort, 1000, 100));
  EXPECT_FALSE(has(-kLong, 1000, 100));
  EXPECT_FALSE(has(100, 1000, std::int64_t(1) << 31));
}

TEST(small, has_vectors_if_both_sides_have) {
  auto const vector_of = [](problem const& p, alignment const& aligned) {
    int longest = 0;
    for (auto const& each : small_candidates(canonical(p), aligned))
      longest = std::max(longest, std::get<small_plan>(each.steps.front().kernel).shape().load);
    return longest;
  };
  problem const even = matrices(1, 64, 64, 0, 4);
  EXPECT_EQ(vector_of(even, {}), 2);
  EXPECT_EQ(vector_of(even, {8, 16}), 2);
  EXPECT_EQ(vector_of(even, {4, 16}), 1);
  EXPECT_EQ(vector_of(even, {16, 4}), 1);
  EXPECT_EQ(vector_of(matrices(1, 64, 63, 0, 4), {}), 1);
}

}  // namespace
}  // namespace cornerturn
