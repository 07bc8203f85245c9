#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

#include "cornerturn/distributed.hpp"
#include "cornerturn/error.hpp"
#include "cuda/handles.hpp"
#include "engine/gpu/devices.hpp"
#include "gpu/gpu_test.hpp"
#include "measure/stream_timer.hpp"
#include "support/random_description.hpp"
#include "support/sharded.hpp"

namespace cornerturn::distributed {
namespace {

struct gpu_local_plan : test::on_gpu<> {};

int device_count() {
  int count = 0;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  return count;
}

/// A block in the memory of a GPU; null if it is empty.
device_memory on_device(std::vector<std::byte> const& block) {
  if (block.empty()) return {};
  auto memory = allocate_device(block.size());
  check(cudaMemcpy(memory.get(), block.data(), block.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
  return memory;
}

/// Ranks have the GPUs of this machine by turns, and on one GPU they have a stream each. A plan moves blocks at any addresses.
TEST_F(gpu_local_plan, moves_random_arrays_between_ranks_on_all_gpus) {
  auto const devices = device_count();
  for (unsigned seed = 0; seed < 150 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    auto const given = test::random_description(seed);
    auto const ranks = test::ranks_of(given);
    local_plan const plan(given);
    for (std::size_t const offset : {0, 1}) {
      std::vector<device_memory> memory_of_blocks;
      auto const address_of = [&](std::vector<std::byte> block) {
        block.insert(block.begin(), offset, {});
        return static_cast<std::byte*>(memory_of_blocks.emplace_back(on_device(block)).get()) + offset;
      };
      std::vector<stream_handle> streams;
      std::vector<rank_memory> memory;
      std::vector<std::vector<std::byte>> wanted;
      for (int rank = 0; rank < ranks; ++rank) {
        gpu::on_device const current(rank % devices);
        wanted.push_back(test::destination_of(given).block_of(rank, given.element.bytes(), given.shape));
        auto* const source = address_of(test::source_of(given).block_of(rank, given.element.bytes(), given.shape));
        auto* const destination = address_of(std::vector<std::byte>(wanted.back().size()));
        memory.push_back({source, destination, streams.emplace_back(make_stream()).get()});
      }
      plan.run(memory);
      plan.run(memory);  // waits for the first run's readers and writers
      for (std::size_t rank = 0; rank < wanted.size(); ++rank) {
        std::vector<std::byte> found(wanted[rank].size());
        check(cudaStreamSynchronize(streams[rank].get()), "cudaStreamSynchronize");
        if (!found.empty())
          check(cudaMemcpy(found.data(), memory[rank].destination, found.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
        EXPECT_EQ(found, wanted[rank]) << "rank " << rank << ", " << offset << " bytes after an aligned address";
      }
    }
  }
}

/// A rank's stream waits for the writes of its peers, which are late here.
TEST_F(gpu_local_plan, orders_the_streams_of_all_ranks) {
  constexpr std::int64_t kBytes = 64 << 20;
  description const swap{{2, kBytes}, {0, 1}, {{2}, {0}}, {{2}, {0}, {{0, 2}, {}}}, 1};  // all rows go to rank 1
  auto const devices = device_count();
  auto const first = make_stream();
  auto const low = allocate_device(kBytes);
  check(cudaMemset(low.get(), 0, kBytes), "cudaMemset");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  gpu::on_device const current(1 % devices);
  auto const second = make_stream();
  auto const high = allocate_device(kBytes), result = allocate_device(2 * kBytes);
  check(cudaMemset(high.get(), 7, kBytes), "cudaMemset");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  {
    gpu::on_device const back(0);
    for (int i = 0; i < 200; ++i) check(cudaMemsetAsync(low.get(), i == 199 ? 9 : i, kBytes, first.get()), "cudaMemsetAsync");
  }
  permute(std::vector<rank_memory>{{low.get(), nullptr, first.get()}, {high.get(), result.get(), second.get()}}, swap);
  std::vector<std::byte> found(2 * kBytes);
  check(cudaMemcpyAsync(found.data(), result.get(), found.size(), cudaMemcpyDeviceToHost, second.get()), "cudaMemcpyAsync");
  check(cudaStreamSynchronize(second.get()), "cudaStreamSynchronize");
  EXPECT_EQ(std::ranges::count(found, std::byte(9)), kBytes);
  EXPECT_EQ(std::ranges::count(found, std::byte(7)), kBytes);
}

/// Rows of a square matrix on two ranks, to those of its transpose: messages of four parts, more than there are buffers. The
/// ranks have GPUs by turns, and there are two sources and two results. In source 1 the ranks have exchanged their rows.
struct large_transpose {
  static constexpr std::int64_t kSide = 14'336, kHalf = kSide / 2, kBlock = kSide * kHalf;
  description given{{kSide, kSide}, {1, 0}, {{2}, {0}}, {{2}, {0}}, 4};
  std::vector<device_memory> sources, results;  ///< two blocks of source 0, two of source 1, and the same of the results
  std::vector<stream_handle> streams;           ///< one for each of these blocks

  explicit large_transpose(int devices) {
    std::vector<std::int32_t> numbers(kBlock);
    for (int block = 0; block < 4; ++block) {
      gpu::on_device const current(block % 2 % devices);
      std::iota(numbers.begin(), numbers.end(), std::int32_t((block / 2 + block) % 2 * kBlock));
      sources.push_back(allocate_device(4 * kBlock));
      check(cudaMemcpy(sources.back().get(), numbers.data(), 4 * kBlock, cudaMemcpyHostToDevice), "cudaMemcpy");
      results.push_back(allocate_device(4 * kBlock));
      check(cudaMemset(results.back().get(), 0, 4 * kBlock), "cudaMemset");
      check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
      streams.push_back(make_stream());
    }
  }

  /// The blocks of the two ranks, each with a stream of its own.
  std::vector<rank_memory> blocks(std::size_t result) const {
    auto const of = [&](std::size_t block) {
      return rank_memory{sources[block].get(), results[block].get(), streams[block].get()};
    };
    return {of(2 * result), of(2 * result + 1)};
  }

  /// The number of elements of a result that are wrong.
  std::int64_t wrong(std::int64_t result) const {
    for (auto const& stream : streams) check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
    std::int64_t count = 0;
    std::vector<std::int32_t> found(kBlock);
    for (std::int64_t rank = 0; rank < 2; ++rank) {
      auto const* const block = results[std::size_t(2 * result + rank)].get();
      check(cudaMemcpy(found.data(), block, 4 * kBlock, cudaMemcpyDeviceToHost), "cudaMemcpy");
      for (std::int64_t col = 0; col < kHalf; ++col)
        for (std::int64_t row = 0; row < kSide; ++row)
          count += found[std::size_t(col * kSide + row)] != (row + result * kHalf) % kSide * kSide + rank * kHalf + col;
    }
    return count;
  }
};

TEST_F(gpu_local_plan, moves_large_blocks_between_gpus_with_buffers_that_two_runs_share) {
  large_transpose const of(device_count());
  local_plan const plan(of.given);
  plan.run(of.blocks(0));
  plan.run(of.blocks(1));
  EXPECT_EQ(of.wrong(0), 0);
  EXPECT_EQ(of.wrong(1), 0);
}

/// A thread that finds the buffers taken writes by kernels.
TEST_F(gpu_local_plan, moves_large_blocks_of_two_threads) {
  large_transpose const of(device_count());
  local_plan const plan(of.given);
  {
    auto const run = [&](std::size_t result) {
      for (int i = 0; i < 5; ++i) plan.run(of.blocks(result));
    };
    std::jthread const first(run, 0), second(run, 1);
  }
  EXPECT_EQ(of.wrong(0), 0);
  EXPECT_EQ(of.wrong(1), 0);
}

TEST_F(gpu_local_plan, is_captured) {
  large_transpose const of(1);
  auto const stream = make_stream();
  local_plan const plan(of.given);
  auto const on_stream = [&](std::size_t result) {
    auto blocks = of.blocks(result);
    for (auto& each : blocks) each.stream = stream.get();
    return blocks;
  };
  plan.run(on_stream(0));
  auto const graph = capture_graph(
      stream.get(), 1, [&] { plan.run(on_stream(1)); }, cudaStreamCaptureModeGlobal);
  check(cudaGraphLaunch(graph.get(), stream.get()), "cudaGraphLaunch");
  check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
  EXPECT_EQ(of.wrong(0), 0);
  EXPECT_EQ(of.wrong(1), 0);
}

TEST_F(gpu_local_plan, refuses_ranks_on_the_host_beside_ranks_on_a_gpu) {
  description const given{{2, 4}, {1, 0}, {{2}, {0}}, {{2}, {0}}, 1};
  std::vector<std::byte> host(16);
  auto const memory = allocate_device(16);
  auto* const at = static_cast<std::byte*>(memory.get());
  try {
    permute(std::vector<rank_memory>{{&host[0], &host[8]}, {at, at + 8}}, given);
    FAIL();
  } catch (error const& thrown) {
    EXPECT_STREQ(thrown.what(), "the memory of rank 0 is host memory; it must be that of a GPU, as that of rank 1 is");
  }
}

}  // namespace
}  // namespace cornerturn::distributed
