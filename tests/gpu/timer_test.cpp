#include "measure/timer.hpp"

#include <array>
#include <cstddef>

#include "gpu/gpu_test.hpp"

namespace cornerturn {
namespace {

class gpu_timer : public test::on_gpu<testing::Test> {};

TEST_F(gpu_timer, short_rows_are_graphs_and_long_ones_single_launches) {
  constexpr std::size_t kShort = std::size_t(16) << 20, kLong = std::size_t(8) << 30;
  auto const memory = allocate_device(kLong);
  for (auto const& [bytes, method] : {std::pair{kShort, "graph"}, std::pair{kLong, "stream"}}) {
    int rounds = 0;
    std::array<int, 2> calls{};
    enqueue const ceiling = [&, bytes = bytes](cudaStream_t stream) {
      ++calls[0];
      check(cudaMemsetAsync(memory.get(), 0, bytes, stream), "cudaMemsetAsync");
    };
    enqueue const tiny = [&](cudaStream_t stream) {
      ++calls[1];
      check(cudaMemsetAsync(memory.get(), 1, 64, stream), "cudaMemsetAsync");
    };
    auto const timed = time_interleaved({ceiling, tiny}, 5, [&](int round) { rounds = round; });
    EXPECT_EQ(timed.method, method);
    EXPECT_EQ(rounds, 5);
    ASSERT_EQ(timed.ms.size(), 2u);
    ASSERT_EQ(timed.ms[0].size(), 5u);
    // the ceiling runs five times to choose the method; a graph has several launches, which are captured once
    if (timed.method == "graph")
      EXPECT_TRUE(calls[1] > 1 && calls[0] == 5 + calls[1]) << calls[0] << ' ' << calls[1];
    else
      EXPECT_EQ(calls, (std::array{5 + 1 + 5, 1 + 5}));  // once to warm up, then in each round
  }
}

}  // namespace
}  // namespace cornerturn
