#include "inplace/file_units.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "file/runs.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"
#include "support/any_axes.hpp"
#include "support/plain.hpp"
#include "support/seeds.hpp"

namespace cornerturn {
namespace {

using bytes = std::vector<std::byte>;

/// What the parts of a unit write.
std::vector<bytes> moved_by(file_unit const& unit, bytes const& data, bytes const& workspace) {
  std::vector<bytes> moved;
  for (auto const& part : unit) {
    auto const& source = part.from_workspace ? workspace : data;
    bytes packed(std::size_t(part.moved.packed_bytes));
    for_each_run(part.moved.pack, [&](std::int64_t from, std::int64_t to, std::int64_t size) {
      ASSERT_LE(part.source_byte + from + size, std::ssize(source));
      std::memcpy(packed.data() + to, source.data() + part.source_byte + from, std::size_t(size));
    });
    moved.emplace_back(std::size_t(part.moved.moved_bytes));
    test::permute_plainly(part.moved.move, packed.data(), moved.back().data());
  }
  return moved;
}

/// Runs all units on an array in memory. A unit that continues a pass is computed before the previous one is written.
void run_units(file_plan const& plan, bytes& data) {
  unit_list const units(plan);
  bytes workspace(std::size_t(plan.workspace_bytes));
  auto const computed = [&](std::int64_t index) { return moved_by(units[index], data, workspace); };
  std::vector<bytes> next;
  for (std::int64_t i = 0; i < units.size(); ++i) {
    auto const unit = units[i];
    auto const moved = units.continues_pass(i) ? std::move(next) : computed(i);
    if (i + 1 < units.size() && units.continues_pass(i + 1)) next = computed(i + 1);
    std::int64_t total = 0;
    for (std::size_t k = 0; k < unit.size(); ++k) {
      total += unit[k].moved.moved_bytes;
      auto& target = unit[k].to_workspace ? workspace : data;
      for_each_run(unit[k].moved.unpack, [&](std::int64_t from, std::int64_t to, std::int64_t size) {
        ASSERT_LE(unit[k].destination_byte + to + size, std::ssize(target));
        std::memcpy(target.data() + unit[k].destination_byte + to, moved[k].data() + from, std::size_t(size));
      });
    }
    EXPECT_LE(total, plan.unit_bytes);
  }
}

/// Checks a plan, if there is one, against the definition.
bool check_units(test::square_problem const& p, std::int64_t unit_bytes) {
  auto const given = permutation(p.shape, {}, p.axes, p.element_size);
  auto const plan = plan_in_file(canonical(given), unit_bytes);
  if (!plan) return false;
  bytes data(std::size_t(p.bytes()));
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = std::byte((i * 7 + i / 251 * 13) % 253);
  auto expected = data;
  test::permute_plainly(given, data.data(), expected.data());
  run_units(*plan, data);
  EXPECT_TRUE(data == expected) << to_string(given) << ", units of " << unit_bytes << " bytes";
  return true;
}

TEST(file_units, follow_the_definition) {
  int planned = 0, asked = 0;
  test::for_each_seed(2000, [&](unsigned seed) {
    auto const p = test::random_permutation(seed, seed % 20 ? 3000 : 60'000);
    auto const moved = canonical(permutation(p.shape, {}, p.axes, p.element_size));
    if (std::ranges::all_of(moved.modes, stays)) return;
    std::int64_t const divisors[] = {1, 3, 8, 30};
    ++asked;
    planned += check_units(p, std::max<std::int64_t>(64, p.bytes() / divisors[seed % 4]));
  });
  EXPECT_GT(planned, asked / 2);
}

TEST(file_units, serve_squares_and_rectangles_with_remainders) {
  for (std::int64_t const unit : {200, 1000, 5000, 100'000})
    for (auto const& [shape, axes] :
         std::vector<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>>{{{61, 61}, {1, 0}},
                                                                                      {{3, 20, 5, 20, 2}, {0, 3, 2, 1, 4}},
                                                                                      {{47, 31}, {1, 0}},
                                                                                      {{31, 47}, {1, 0}},
                                                                                      {{2, 29, 31, 3}, {0, 2, 1, 3}}})
      for (std::int64_t const size : {1, 4, 12}) {
        auto const longest = std::ranges::max(shape) * size * shape.back();
        bool const is_planned = check_units({shape, axes, size}, unit);
        EXPECT_TRUE(is_planned || unit < 4 * longest);
      }
}

/// A matrix of 4-byte elements that is transposed.
problem matrix(std::int64_t rows, std::int64_t columns) {
  std::vector<std::int64_t> const shape{rows, columns}, axes{1, 0};
  return canonical(permutation(shape, {}, axes, 4));
}

/// Changes a number of a plan. Returns false if it has no such number.
bool change(file_plan& plan, std::size_t which, std::int64_t value) {
  std::vector<std::int64_t*> numbers{&plan.element_size, &plan.unit_bytes, &plan.workspace_bytes};
  for (auto& each : plan.exchanges)
    for (auto* const member :
         {&each.groups.batch, &each.groups.rows, &each.groups.between, &each.groups.columns, &each.groups.run, &each.parts})
      numbers.push_back(member);
  if (which >= numbers.size()) return false;
  *numbers[which] = value;
  return true;
}

/// A plan with wrong numbers is none of the problem, or it does the same.
TEST(file_units, are_those_of_their_problem) {
  int refused = 0;
  test::for_each_seed(300, [&](unsigned seed) {
    auto const p = test::random_permutation(seed, 3000);
    auto const given = canonical(permutation(p.shape, {}, p.axes, p.element_size));
    if (std::ranges::all_of(given.modes, stays)) return;
    auto const plan = plan_in_file(given, std::max<std::int64_t>(64, p.bytes() / 3));
    if (!plan) return;
    EXPECT_TRUE(is_plan_of(given, *plan)) << to_string(given);
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t const value : {std::int64_t(-1), std::int64_t(0), std::int64_t(1), std::int64_t(2), std::int64_t(6), kMost})
      for (std::size_t which = 0;; ++which) {
        auto changed = *plan;
        if (!change(changed, which, value)) break;
        if (!is_plan_of(given, changed)) {
          ++refused;
          continue;
        }
        bytes data(std::size_t(p.bytes())), expected;
        for (std::size_t i = 0; i < data.size(); ++i) data[i] = std::byte((i * 7 + i / 251 * 13) % 253);
        expected = data;
        test::permute_plainly(permutation(p.shape, {}, p.axes, p.element_size), data.data(), expected.data());
        run_units(changed, data);
        EXPECT_TRUE(data == expected) << to_string(given) << ' ' << which << ' ' << value;
      }
  });
  EXPECT_GT(refused, 1000);
  auto const square = matrix(64, 64);
  EXPECT_FALSE(is_plan_of(square, {}));
  EXPECT_FALSE(is_plan_of(matrix(64, 32), *plan_in_file(square, 1000)));
}

TEST(file_units, need_room_for_two_elements) {
  auto const square = matrix(64, 64);
  for (std::int64_t const unit : {-1, 0, 1, 7}) EXPECT_FALSE(plan_in_file(square, unit)) << unit;
  EXPECT_TRUE(check_units({{6, 6}, {1, 0}, 4}, 8));
}

/// The longer side of these has more bytes than a unit, so it is split.
TEST(file_units, serve_skinny_arrays) {
  EXPECT_TRUE(check_units({{60'000, 3}, {1, 0}, 4}, 60'000));
  EXPECT_TRUE(check_units({{3, 60'000}, {1, 0}, 4}, 60'000));
  EXPECT_TRUE(check_units({{2, 50'000, 7}, {0, 2, 1}, 4}, 150'000));
  EXPECT_FALSE(check_units({{60'013, 2}, {1, 0}, 4}, 10'000));
}

}  // namespace
}  // namespace cornerturn
