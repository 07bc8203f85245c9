#include <utility>
#include <vector>

#include "cornerturn/cornerturn.hpp"
#include "engine/gpu/pattern.hpp"
#include "gpu/gpu_test.hpp"
#include "measure/timer.hpp"
#include "plan/choose.hpp"
#include "problem/canonical.hpp"
#include "support/message.hpp"

namespace cornerturn {
namespace {

class gpu_errors : public test::on_gpu<testing::Test> {};

/// The runtime library keeps an error until somebody asks for the last one.
TEST_F(gpu_errors, what_the_caller_left_behind_is_neither_reported_nor_taken) {
  constexpr std::int64_t kSide = 64;
  constexpr std::size_t kBytes = kSide * kSide * 4;
  auto const from = allocate_device(kBytes), to = allocate_device(kBytes);
  problem const p{.modes = {{kSide, kSide, 1}, {kSide, 1, kSide}}, .element_size = 4};
  auto const ways = candidates_of(canonical(p), {});
  ASSERT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  gpu::fill_pattern(from.get(), kSide * kSide, 4, nullptr);
  for (auto const& way : ways) {
    gpu::run(way.steps, {from.get(), to.get()}, nullptr);
    EXPECT_EQ(gpu::count_wrong(to.get(), kSide, kSide, 4, true, nullptr), 0) << describe(way);
  }
  permute(from.get(), to.get(), {kSide, kSide}, {1, 0}, 4);
  time_interleaved({[&](cudaStream_t stream) { check(cudaMemsetAsync(to.get(), 0, kBytes, stream), "cudaMemsetAsync"); }}, 1);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
}

TEST_F(gpu_errors, what_is_thrown_is_not_left_behind) {
  EXPECT_NE(test::message_of([] { allocate_device(std::size_t(1) << 50); }, error_kind::memory), "");
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(gpu_errors, have_the_code_of_cuda) {
  auto const code_of = [](cudaError_t status) {
    try {
      check(status, "a call");
    } catch (error const& e) {
      return std::pair(e.kind(), e.code());
    }
    return std::pair(error_kind::argument, 0);
  };
  EXPECT_EQ(code_of(cudaErrorMemoryAllocation), std::pair(error_kind::memory, int(cudaErrorMemoryAllocation)));
  EXPECT_EQ(code_of(cudaErrorInvalidConfiguration), std::pair(error_kind::device, int(cudaErrorInvalidConfiguration)));
}

}  // namespace
}  // namespace cornerturn
