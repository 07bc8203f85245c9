#include <gtest/gtest.h>

#include "engine/cpu/cpu.hpp"
#include "problem/canonical.hpp"
#include "support/check.hpp"

namespace cornerturn {
namespace {

class cpu_engine : public testing::TestWithParam<int> {};

TEST_P(cpu_engine, moves_every_case) {
  int const size = GetParam();
  test::mover const move = [&](job const& shape, test::case_memory const& memory) {
    problem const given{.modes = {{shape.batch, shape.source_batch_stride, shape.destination_batch_stride},
                                  {shape.rows, shape.source_pitch, 1},
                                  {shape.cols, 1, shape.destination_pitch}},
                        .element_size = size};
    cpu::permute(canonical(given), memory.source.data() + memory.source_at, memory.destination.data() + memory.destination_at);
  };
  for (auto const& each : test::transpose_cases()) ASSERT_EQ(test::check_transpose(each, size, move), "");
}

INSTANTIATE_TEST_SUITE_P(sizes, cpu_engine, testing::Values(1, 2, 3, 4, 8, 12, 16));

}  // namespace
}  // namespace cornerturn
