#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "c/call.hpp"
#include "cornerturn/cornerturn.h"
#include "cornerturn/distributed.hpp"
#include "cornerturn/distributed_nccl.hpp"
#include "distributed/agreement.hpp"
#include "distributed/side.hpp"

namespace cornerturn {
namespace {

std::vector<std::int64_t> vector_of(std::string_view name, std::int64_t const* numbers, std::int32_t rank,
                                    std::string_view rank_name = "rank") {
  auto const list = list_of(name, numbers, rank, rank_name);
  return {list.begin(), list.end()};
}

distributed::sharding sharding_of(std::string_view name, cornerturn_sharding const& given, std::int32_t rank) {
  auto const grid_rank = fmt::format("{}.grid_rank", name);
  distributed::sharding result{vector_of(fmt::format("{}.grid", name), given.grid, given.grid_rank, grid_rank),
                               vector_of(fmt::format("{}.modes", name), given.modes, given.grid_rank, grid_rank)};
  for (std::int32_t mode = 0; given.blocks && mode < rank; ++mode) {
    // A grid with an extent below 1 or with too many ranks is refused later, so the extents of its blocks are not read here.
    std::int64_t count = 1;
    for (std::size_t i = 0; i < result.grid.size(); ++i)
      if (result.modes[i] == mode)
        count = result.grid[i] < 1 || count > distributed::kMostRanks / result.grid[i] ? 0 : count * result.grid[i];
    auto const* const blocks = given.blocks[mode];
    result.blocks.push_back(blocks ? std::vector(blocks, blocks + count) : std::vector<std::int64_t>());
  }
  return result;
}

distributed::description description_of(cornerturn_distribution const* given) {
  expect_address("distribution", given);
  refuse_size(*given, "cornerturn_distribution", "distribution");
  return {.shape = vector_of("shape", given->shape, given->rank),
          .axes = vector_of("axes", given->axes, given->rank),
          .source = sharding_of("source", given->source, given->rank),
          .destination = sharding_of("destination", given->destination, given->rank),
          .element = elements_of(given->elements, given->rank)};
}

/// A communicator with the functions of a C program.
class c_communicator : public distributed::communicator {
 public:
  explicit c_communicator(cornerturn_communicator const& given) : given_(given) {}
  int rank() const override { return given_.rank; }
  int size() const override { return given_.ranks; }
  std::int64_t isend(void const* data, std::int64_t bytes, int peer) override {
    std::int64_t request = 0;
    expect("isend", given_.isend(given_.context, data, bytes, peer, &request));
    return request;
  }
  std::int64_t irecv(void* data, std::int64_t bytes, int peer) override {
    std::int64_t request = 0;
    expect("irecv", given_.irecv(given_.context, data, bytes, peer, &request));
    return request;
  }
  void wait(std::int64_t request) override { expect("wait", given_.wait(given_.context, request)); }
  void all_min(std::span<std::int64_t> values) override {
    expect("all_min", given_.all_min(given_.context, values.data(), std::int32_t(values.size())));
  }
  void abort(std::string_view reason) override { given_.abort(given_.context, std::string(reason).c_str()); }

 private:
  static void expect(char const* function, int code) {
    if (code != 0) throw std::runtime_error(fmt::format("communicator.{} failed with {}", function, code));
  }

  cornerturn_communicator const& given_;
};

}  // namespace
}  // namespace cornerturn

using namespace cornerturn;

cornerturn_status cornerturn_distributed_permute(void const* source, void* destination,
                                                 cornerturn_distribution const* distribution,
                                                 cornerturn_communicator const* communicator) {
  return guarded([&] {
    expect_address("communicator", communicator);
    refuse_size(*communicator, "cornerturn_communicator", "communicator");
    auto const& [size, context, rank, ranks, isend, irecv, wait, all_min, abort, nccl, stream] = *communicator;
    if (!all_min || !abort || (!nccl && !(isend && irecv && wait)))
      refuse("communicator", "without one of its functions", "one with all that are called");
    c_communicator messages(*communicator);
    distributed::description described;
    std::optional<distributed::nccl_communicator> on_gpu;
    // If a rank returned before all ranks have agreed, the others would wait for it.
    distributed::agree(messages, {}, [&] {
      described = description_of(distribution);
      if (communicator->nccl) on_gpu.emplace(communicator->nccl, messages, communicator->stream);
    });
    if (on_gpu)
      distributed::permute(source, destination, described, *on_gpu);
    else
      distributed::permute(source, destination, described, messages);
  });
}

cornerturn_status cornerturn_local_permute(void const* const* sources, void* const* destinations, void* const* streams,
                                           std::int32_t ranks, cornerturn_distribution const* distribution) {
  return guarded([&] {
    if (ranks < 0) refuse("ranks", ranks, "0 or more");
    if (ranks > 0) expect_address("sources", sources), expect_address("destinations", destinations);
    std::vector<distributed::rank_memory> memory;
    for (std::int32_t i = 0; i < ranks; ++i) memory.push_back({sources[i], destinations[i], streams ? streams[i] : nullptr});
    distributed::permute(memory, description_of(distribution));
  });
}
