#include "measure/timer.hpp"

#include <cstddef>

#include "gpu/gpu_test.hpp"
#include "measure/statistics.hpp"

namespace cornerturn {
namespace {

class gpu_timer : public test::on_gpu<testing::Test> {};

/// Well under what a launch takes from the host's call to the kernel's start, and over what so small a memset itself needs.
constexpr double kLatencyFreeMs = 0.006;

TEST_F(gpu_timer, short_rows_are_graphs_and_long_ones_single_launches) {
  constexpr std::size_t kShort = std::size_t(16) << 20, kLong = std::size_t(8) << 30;
  auto const memory = allocate_device(kLong);
  enqueue const tiny = [&](cudaStream_t stream) { check(cudaMemsetAsync(memory.get(), 1, 64, stream), "cudaMemsetAsync"); };
  for (auto const& [bytes, method] : {std::pair{kShort, "graph"}, std::pair{kLong, "stream"}}) {
    int rounds = 0;
    enqueue const ceiling = [&, bytes = bytes](cudaStream_t stream) {
      check(cudaMemsetAsync(memory.get(), 0, bytes, stream), "cudaMemsetAsync");
    };
    auto const timed = time_interleaved({ceiling, tiny}, 5, [&](int round) { rounds = round; });
    EXPECT_EQ(timed.method, method);
    EXPECT_EQ(rounds, 5);
    ASSERT_EQ(timed.ms.size(), 2u);
    ASSERT_EQ(timed.ms[0].size(), 5u);
    EXPECT_EQ(quantile(timed.ms[0], 0.5) < 1.0, timed.method == "graph");
    EXPECT_LT(quantile(timed.ms[1], 0.5), kLatencyFreeMs) << method;
  }
}

}  // namespace
}  // namespace cornerturn
