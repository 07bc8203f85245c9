#include "support/rungs.hpp"

#include "engine/gpu/pattern.hpp"
#include "gpu/gpu_test.hpp"
#include "kernel/rung/plan.hpp"
#include "support/check.hpp"

namespace cornerturn {
namespace {

/// Runs a rung on the GPU, over copies of both sides that lie on 256-byte boundaries as the originals do.
class rung_on_device {
 public:
  rung_on_device(rung kernel, int element_size) : kernel_(kernel), element_size_(element_size) {}

  void operator()(job const& shape, test::case_memory const& memory) {
    auto* const source = source_.at_least(memory.source.size() + 1);
    auto* const destination = destination_.at_least(memory.destination.size());
    check(cudaMemcpy(source, memory.source.data(), memory.source.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
    check(cudaMemcpy(destination, memory.destination.data(), memory.destination.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
    auto* const from = source + memory.source_at;
    auto* const to = destination + memory.destination_at;
    gpu::run(plan_rung(kernel_, shape, element_size_, alignment_of(from, to)), from, to, nullptr);
    check(cudaMemcpy(memory.destination.data(), destination, memory.destination.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  }

 private:
  rung kernel_;
  int element_size_;
  test::device_scratch source_, destination_;
};

class gpu_rungs : public test::on_gpu<testing::TestWithParam<std::tuple<rung, int>>> {};

TEST_P(gpu_rungs, move_every_case) {
  auto const [kernel, element_size] = GetParam();
  rung_on_device device(kernel, element_size);
  for (auto const& each : test::cases_of(kernel, element_size))
    ASSERT_EQ(test::check_transpose(each, element_size, std::ref(device)), "");
}

TEST_P(gpu_rungs, move_more_tiles_than_a_grid_dimension_holds) {
  auto const [kernel, element_size] = GetParam();
  rung_on_device device(kernel, element_size);
  for (auto const& each : {test::transpose_case{2'100'000, 1}, {1, 2'100'000}, {3, 5, 70'000}})
    if (test::serves(kernel, each, element_size)) {
      ASSERT_EQ(test::check_transpose(each, element_size, std::ref(device)), "");
    }
  if (info_of(kernel).uses_tma() && element_size <= 4) {
    ASSERT_EQ(test::check_transpose({16, 16, 70'000}, element_size, std::ref(device)), "");
  }
}

INSTANTIATE_TEST_SUITE_P(ladder, gpu_rungs, test::every_rung(), test::rung_test_name);

/// The straight copy, whose destination is laid out as its source.
class gpu_copy : public test::on_gpu<testing::TestWithParam<int>> {};

TEST_P(gpu_copy, moves_rows_of_any_length) {
  int const size = GetParam();
  for (std::int64_t const cols : {1, 15, 16, 17, 509, 4096, 100'003}) {
    auto const bytes = std::size_t(3 * cols * size);
    auto const source = allocate_device(bytes), destination = allocate_device(bytes);
    gpu::fill_pattern(source.get(), 3 * cols, size, nullptr);
    check(cudaMemset(destination.get(), 0x5A, bytes), "cudaMemset");
    auto const chosen =
        plan_rung(rung::copy, {.rows = 3, .cols = cols, .source_pitch = cols, .destination_pitch = cols}, size, {});
    gpu::run(chosen, source.get(), destination.get(), nullptr);
    EXPECT_EQ(gpu::count_wrong(destination.get(), 3, cols, size, false, nullptr), 0) << cols << " columns";
    if (cols * size % 16 == 0) {
      check(cudaMemset(destination.get(), 0x5A, bytes), "cudaMemset");
      gpu::run(plan_rung(rung::copy_tma, {.rows = 3, .cols = cols, .source_pitch = cols, .destination_pitch = cols}, size, {}),
               source.get(), destination.get(), nullptr);
      EXPECT_EQ(gpu::count_wrong(destination.get(), 3, cols, size, false, nullptr), 0) << cols << " columns by TMA";
    }
    auto const flat = plan_rung(rung::copy, {.rows = 1, .cols = 3 * cols}, size, {});
    EXPECT_EQ(flat.load_bytes(), 16);
    check(cudaMemset(destination.get(), 0x5A, bytes), "cudaMemset");
    gpu::run(flat, source.get(), destination.get(), nullptr);
    EXPECT_EQ(gpu::count_wrong(destination.get(), 1, 3 * cols, size, false, nullptr), 0) << 3 * cols << " elements";
  }
}

INSTANTIATE_TEST_SUITE_P(sizes, gpu_copy, testing::Values(1, 2, 4, 8, 16));

}  // namespace
}  // namespace cornerturn
