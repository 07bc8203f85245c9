#include <algorithm>
#include <vector>

#include "engine/gpu/pattern.hpp"
#include "gpu/gpu_test.hpp"
#include "kernel/rung/plan.hpp"
#include "support/rungs.hpp"

namespace cornerturn {
namespace {

class gpu_large : public test::on_gpu<testing::TestWithParam<std::tuple<rung, int>>> {
 protected:
  void expect_transposed(std::int64_t rows, std::int64_t cols) {
    auto const [kernel, element_size] = GetParam();
    if (!test::serves(kernel, {rows, cols}, element_size)) return;
    auto const bytes = std::size_t(rows * cols * element_size);
    auto const source = allocate_device(bytes), destination = allocate_device(bytes);
    gpu::fill_pattern(source.get(), rows * cols, element_size, nullptr);
    check(cudaMemset(destination.get(), 0x5A, bytes), "cudaMemset");
    gpu::run(plan_rung(kernel, {.rows = rows, .cols = cols, .source_pitch = cols, .destination_pitch = rows}, element_size, {}),
             source.get(), destination.get(), nullptr);
    EXPECT_EQ(gpu::count_wrong(destination.get(), rows, cols, element_size, true, nullptr), 0) << rows << " x " << cols;
  }
};

TEST_P(gpu_large, more_than_2_to_the_31_elements) {
  expect_transposed(46352, 46416);
  expect_transposed(46341, 46343);
}

INSTANTIATE_TEST_SUITE_P(ladder, gpu_large, test::every_rung(), test::rung_test_name);

class gpu_pitch : public test::on_gpu<testing::TestWithParam<std::tuple<rung, int>>> {};

/// Moves few rows and columns; the long pitch is past 2^31 elements on one side.
TEST_P(gpu_pitch, past_2_to_the_31_elements) {
  auto const [kernel, element_size] = GetParam();
  constexpr std::int64_t kLong = (std::int64_t(1) << 31) + 16, kCols = 5;
  std::int64_t const rows = info_of(kernel).uses_tma() ? 16 : 3;  // TMA stores whole units of 16 bytes
  auto const most = std::max(rows, kCols) * kLong * element_size;
  if (most > 80'000'000'000) GTEST_SKIP() << "would take " << most << " bytes";
  auto const size = std::size_t(element_size);
  std::vector<std::byte> source(std::size_t(rows * kCols) * size);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = std::byte(i + 1);

  for (bool const long_source : {true, false}) {
    job const shape{
        .rows = rows, .cols = kCols, .source_pitch = long_source ? kLong : 16, .destination_pitch = long_source ? 16 : kLong};
    auto const from = allocate_device(std::size_t((rows - 1) * shape.source_pitch + kCols) * size);
    auto const to = allocate_device(std::size_t((kCols - 1) * shape.destination_pitch + rows) * size);
    auto const row_bytes = kCols * size;
    for (std::int64_t r = 0; r < rows; ++r)
      check(cudaMemcpy(static_cast<std::byte*>(from.get()) + std::size_t(r * shape.source_pitch) * size,
                       &source[std::size_t(r) * row_bytes], row_bytes, cudaMemcpyHostToDevice),
            "cudaMemcpy");
    gpu::run(plan_rung(kernel, shape, element_size, {}), from.get(), to.get(), nullptr);
    for (std::int64_t c = 0; c < kCols; ++c) {
      std::vector<std::byte> column(std::size_t(rows) * size);
      check(cudaMemcpy(column.data(), static_cast<std::byte*>(to.get()) + std::size_t(c * shape.destination_pitch) * size,
                       column.size(), cudaMemcpyDeviceToHost),
            "cudaMemcpy");
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::size_t byte = 0; byte < size; ++byte)
          ASSERT_EQ(column[std::size_t(r) * size + byte], source[std::size_t(r * kCols + c) * size + byte])
              << "row " << r << ", column " << c;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(ladder, gpu_pitch, test::every_rung(), test::rung_test_name);

}  // namespace
}  // namespace cornerturn
