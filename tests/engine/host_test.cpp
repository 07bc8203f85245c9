#include "engine/host/host.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <vector>

#include "kernel/rung/catalogue.hpp"
#include "support/check.hpp"
#include "support/rungs.hpp"
#include "support/sanitized.hpp"

namespace cornerturn {
namespace {

class host_executor : public testing::TestWithParam<std::tuple<rung, int>> {};

/// Runs a rung on the host executor.
test::mover by(rung kernel, int element_size) {
  return [=](job const& shape, test::case_memory const& memory) {
    auto const* const source = memory.source.data() + memory.source_at;
    auto* const destination = memory.destination.data() + memory.destination_at;
    host::run(plan_rung(kernel, shape, element_size, alignment_of(source, destination)), source, destination);
  };
}

/// Whether a case is left out because the host executor takes more than ten times as long under a sanitizer. A few
/// large matrices have most elements, and run the same code as several tiles with edges do. A case that the environment names
/// always runs.
bool is_left_out(test::transpose_case const& each) {
  constexpr std::int64_t kMostElements = 1 << 13;
  return test::is_sanitized() && !std::getenv("CORNERTURN_CASE") && each.batch * each.rows * each.cols > kMostElements;
}

TEST_P(host_executor, moves_every_case) {
  auto const [kernel, element_size] = GetParam();
  auto const cases = test::cases_of(kernel, element_size);
  for (auto const& each : cases) {
    if (is_left_out(each)) continue;
    ASSERT_EQ(test::check_transpose(each, element_size, by(kernel, element_size)), "");
  }
  if (std::getenv("CORNERTURN_CASE")) return;
  EXPECT_GE(cases.size(), info_of(kernel).uses_tma() ? 15u : test::transpose_cases().size());
}

/// Runs every variant that this build has, also those that no plan uses by default.
TEST_P(host_executor, moves_in_every_variant) {
  auto const [kernel, element_size] = GetParam();
  int moved = 0;
  for (test::transpose_case const& each :
       {test::transpose_case{272, 144}, {64, 128, 1, 0, 1}, {64, 128, 1, 1, 0}, {80, 163, 1, 13, 16}, {83, 163, 1, 13, 13}}) {
    if (!test::serves(kernel, each, element_size)) continue;
    auto const widths = plan_rung(kernel, each.shape(), element_size, {}).widths;
    for (auto const& tile : tiles_of(kernel, element_size, widths)) {
      auto const move = [&](job const& shape, test::case_memory const& memory) {
        host::run(with_tile(plan_rung(kernel, shape, element_size, {}), tile), memory.source.data() + memory.source_at,
                  memory.destination.data() + memory.destination_at);
      };
      ASSERT_EQ(test::check_transpose(each, element_size, move), "") << tile.rows << " x " << tile.cols << ", " << tile.threads;
      ++moved;
    }
  }
  auto const is_built = [&](variant const& each) {
    return std::ranges::count(tiles_of(kernel, element_size, each.widths), each.tile) > 0;
  };
  EXPECT_GE(moved, std::ranges::count_if(variants_of(kernel, element_size), is_built));
}

INSTANTIATE_TEST_SUITE_P(ladder, host_executor, test::every_rung(), test::rung_test_name);

void expect_straight(rung kernel, test::transpose_case const& each, int size) {
  job shape = each.shape();
  shape.destination_pitch = shape.cols + each.destination_gap;
  shape.destination_batch_stride = shape.rows * shape.destination_pitch;
  std::vector<unsigned char> source(std::size_t(each.source_elements() * size) + 64),
      result(std::size_t(shape.batch * shape.destination_batch_stride * size) + 64, 0xA5);
  std::iota(source.begin(), source.end(), 0);
  auto expected = result;
  for (std::int64_t b = 0; b < shape.batch; ++b)
    for (std::int64_t r = 0; r < shape.rows; ++r)
      std::copy_n(source.begin() + (b * shape.source_batch_stride + r * shape.source_pitch) * size, shape.cols * size,
                  expected.begin() + (b * shape.destination_batch_stride + r * shape.destination_pitch) * size);
  std::optional<rung_plan> chosen;
  try {
    chosen = plan_rung(kernel, shape, size, {16, 16});
  } catch (error const&) {
    ASSERT_EQ(kernel, rung::copy_tma);  // TMA does not support every case
    return;
  }
  constexpr std::int64_t kMostThreads = 4'000;  // at most, for tiles that no plan uses by default
  for (auto const& tile : tiles_of(kernel, size, chosen->widths)) {
    if (tile != chosen->tile && with_tile(*chosen, tile).blocks * tile.threads > kMostThreads) continue;
    std::ranges::fill(result, 0xA5);
    host::run(with_tile(*chosen, tile), source.data(), result.data());
    ASSERT_EQ(result, expected) << each.name() << " of " << size << " bytes in tiles of " << tile.rows << " x " << tile.cols
                                << "; repeat with\n  " << test::repeat_command(each);
  }
}

TEST(host_executor_copy, moves_rows_straight) {
  for (auto const kernel : {rung::copy, rung::copy_tma})
    for (int const size : test::is_sanitized() ? std::vector{4} : std::vector{1, 2, 4, 8, 16})
      for (auto const& each : test::transpose_cases())
        if (!is_left_out(each)) expect_straight(kernel, each, size);
}

TEST(host_executor, slow_more_tiles_than_a_grid_dimension_holds) {
  for (auto const& each : {test::transpose_case{2'100'000, 1}, test::transpose_case{1, 2'100'000}})
    EXPECT_EQ(test::check_transpose(each, 4, by(rung::vec_both, 4)), "");
}

}  // namespace
}  // namespace cornerturn
