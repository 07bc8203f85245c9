#include "engine/host/host.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "support/check.hpp"
#include "support/rungs.hpp"

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

TEST_P(host_executor, moves_every_case) {
  auto const [kernel, element_size] = GetParam();
  for (auto const& each : test::transpose_cases())
    ASSERT_EQ(test::check_transpose(each, element_size, by(kernel, element_size)), "");
}

INSTANTIATE_TEST_SUITE_P(ladder, host_executor, test::every_rung(), test::rung_test_name);

TEST(host_executor_copy, moves_rows_straight) {
  for (int const size : {1, 2, 4, 8, 16})
    for (auto const& each : test::transpose_cases()) {
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
      host::run(plan_rung(rung::copy, shape, size, {16, 16}), source.data(), result.data());
      ASSERT_EQ(result, expected) << each.name() << " of " << size << " bytes; repeat with\n  " << test::repeat_command(each);
    }
}

TEST(host_executor, slow_more_tiles_than_a_grid_dimension_holds) {
  for (auto const& each : {test::transpose_case{2'100'000, 1}, test::transpose_case{1, 2'100'000}})
    EXPECT_EQ(test::check_transpose(each, 4, by(rung::vec_both, 4)), "");
}

}  // namespace
}  // namespace cornerturn
