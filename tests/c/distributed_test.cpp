#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "cornerturn/cornerturn.h"
#include "support/random_description.hpp"
#include "support/sharded.hpp"
#include "support/thread_communicator.hpp"

namespace cornerturn::distributed {
namespace {

/// A description as a C program has it.
struct c_description {
  explicit c_description(description const& from) : given(from) {
    auto const sharding_of = [&](sharding const& side, std::vector<std::int64_t const*>& lists) {
      for (auto const& each : side.blocks) lists.push_back(each.empty() ? nullptr : each.data());
      return cornerturn_sharding{std::int32_t(side.grid.size()), side.grid.data(), side.modes.data(),
                                 side.blocks.empty() ? nullptr : lists.data()};
    };
    value = {sizeof(value),
             std::int32_t(given.shape.size()),
             given.shape.data(),
             given.axes.data(),
             cornerturn_bytes(given.element.bytes()),
             sharding_of(given.source, source_blocks),
             sharding_of(given.destination, destination_blocks)};
  }
  c_description(c_description const&) = delete;

  description given;
  std::vector<std::int64_t const*> source_blocks, destination_blocks;
  cornerturn_distribution value;
};

/// The functions of a communicator, as a C program has them. Those that throw return 7.
cornerturn_communicator c_functions_of(communicator& ranks) {
  auto const code_of = [](auto const& call) {
    try {
      call();
      return 0;
    } catch (std::exception const&) {
      return 7;
    }
  };
  static constexpr auto of = [](void* context) -> communicator& { return *static_cast<communicator*>(context); };
  static constexpr auto code = code_of;
  return {.size = sizeof(cornerturn_communicator),
          .context = &ranks,
          .rank = ranks.rank(),
          .ranks = ranks.size(),
          .isend = [](void* context, void const* data, std::int64_t bytes, std::int32_t peer,
                      std::int64_t* request) { return code([&] { *request = of(context).isend(data, bytes, peer); }); },
          .irecv = [](void* context, void* data, std::int64_t bytes, std::int32_t peer,
                      std::int64_t* request) { return code([&] { *request = of(context).irecv(data, bytes, peer); }); },
          .wait = [](void* context, std::int64_t request) { return code([&] { of(context).wait(request); }); },
          .all_min = [](void* context, std::int64_t* values,
                        std::int32_t count) { return code([&] {
                                                of(context).all_min({values, std::size_t(count)});
                                              }); },
          .abort = [](void* context, char const* reason) { of(context).abort(reason); },
          .nccl = nullptr,
          .stream = nullptr};
}

TEST(c_distributed, moves_arrays_between_ranks_and_between_the_blocks_of_all_ranks) {
  for (unsigned seed = 0; seed < 40 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    c_description const described(test::random_description(seed));
    auto const& given = described.given;
    auto const ranks = test::ranks_of(given);
    std::vector<std::vector<std::byte>> sources, wanted, written;
    for (int rank = 0; rank < ranks; ++rank) {
      sources.push_back(test::source_of(given).block_of(rank, given.element.bytes(), given.shape));
      wanted.push_back(test::destination_of(given).block_of(rank, given.element.bytes(), given.shape));
    }
    for (auto const& each : wanted) written.emplace_back(each.size());
    test::thread_job job(ranks);
    auto const thrown = job.run([&](communicator& self) {
      auto const functions = c_functions_of(self);
      auto const rank = std::size_t(self.rank());
      auto const status =
          cornerturn_distributed_permute(sources[rank].data(), written[rank].data(), &described.value, &functions);
      if (status != CORNERTURN_OK) throw std::runtime_error(cornerturn_last_error());
    });
    EXPECT_EQ(thrown, std::vector<std::string>(std::size_t(ranks)));
    EXPECT_EQ(written, wanted);

    std::vector<void const*> from;
    std::vector<void*> to;
    for (std::size_t rank = 0; rank < sources.size(); ++rank) {
      std::ranges::fill(written[rank], std::byte());
      from.push_back(sources[rank].data());
      to.push_back(written[rank].data());
    }
    EXPECT_EQ(cornerturn_local_permute(from.data(), to.data(), nullptr, ranks, &described.value), CORNERTURN_OK);
    EXPECT_EQ(written, wanted);
  }
}

TEST(c_distributed, changes_elements) {
  c_description described({{4, 2}, {1, 0}, {{2}, {0}}, {{2}, {0}}, 1});
  cornerturn_operation operation = CORNERTURN_OPERATION_INIT(CORNERTURN_F32, CORNERTURN_F64);
  operation.alpha[0] = 2;
  described.value.elements = cornerturn_changed_by(&operation);
  std::vector<float> const source{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<double> destination(8);
  void const* const sources[] = {&source[0], &source[4]};
  void* const destinations[] = {&destination[0], &destination[4]};
  EXPECT_EQ(cornerturn_local_permute(sources, destinations, nullptr, 2, &described.value), CORNERTURN_OK);
  EXPECT_EQ(destination, (std::vector<double>{2, 6, 10, 14, 4, 8, 12, 16}));
  operation.source_type = 17;
  EXPECT_EQ(cornerturn_local_permute(sources, destinations, nullptr, 2, &described.value), CORNERTURN_BAD_ARGUMENT);
  EXPECT_STREQ(cornerturn_last_error(), "operation.source_type is 17; it must be 0 to 16");
}

TEST(c_distributed, reports_what_is_wrong) {
  c_description described({{4, 2}, {1, 0}, {{2}, {0}}, {{2}, {0}}, 1});
  std::vector<std::byte> memory(16);
  test::thread_job job(2);
  auto const said = [&](auto const& change) {
    return job.run([&](communicator& self) {
      auto functions = c_functions_of(self);
      change(self, functions);
      auto* const mine = &memory[std::size_t(8 * self.rank())];
      auto const status = cornerturn_distributed_permute(mine, mine + 4, &described.value, &functions);
      throw std::runtime_error(std::to_string(status) + " " + cornerturn_last_error());
    });
  };
  EXPECT_EQ(said([](auto&, auto& functions) { functions.size = 3; })[0],
            "1 communicator.size is 3; it must be " + std::to_string(sizeof(cornerturn_communicator)) +
                ", sizeof(cornerturn_communicator), in version " + cornerturn_version());
  EXPECT_EQ(said([](auto&, auto& functions) { functions.wait = nullptr; })[0],
            "1 communicator is without one of its functions; it must be one with all that are called");
  EXPECT_EQ(said([](auto&, auto& functions) { functions.all_min = [](void*, std::int64_t*, std::int32_t) { return 3; }; })[1],
            "6 communicator.all_min failed with 3");
  auto const null_on_one = job.run([&](communicator& self) {
    auto const functions = c_functions_of(self);
    auto* const mine = &memory[std::size_t(8 * self.rank())];
    auto const status = cornerturn_distributed_permute(mine, mine + 4, self.rank() == 1 ? nullptr : &described.value, &functions);
    throw std::runtime_error(std::to_string(status) + " " + cornerturn_last_error());
  });
  EXPECT_EQ(null_on_one, std::vector<std::string>(2, "1 on rank 1: distribution is null; it must be an address"));
  described.value.elements = cornerturn_bytes(0);
  auto const wrong = said([](auto&, auto&) {});
  EXPECT_EQ(wrong[0], wrong[1]);
  EXPECT_TRUE(wrong[0].starts_with("1 on rank 0: elements.bytes is 0; it must be")) << wrong[0];
  EXPECT_EQ(cornerturn_local_permute(nullptr, nullptr, nullptr, 2, &described.value), CORNERTURN_BAD_ARGUMENT);
  EXPECT_STREQ(cornerturn_last_error(), "sources is null; it must be an address");

  // One extent is read for each block of a grid, but none for a grid that is refused.
  c_description too_large({{4, 2}, {1, 0}, {{1LL << 40}, {0}, {{4}, {}}}, {{2}, {0}}, 1});
  void const* const sources[] = {memory.data(), memory.data() + 4};
  void* const destinations[] = {memory.data() + 8, memory.data() + 12};
  EXPECT_EQ(cornerturn_local_permute(sources, destinations, nullptr, 2, &too_large.value), CORNERTURN_BAD_ARGUMENT);
  EXPECT_TRUE(std::string(cornerturn_last_error()).starts_with("source.grid is (1099511627776)")) << cornerturn_last_error();
}

}  // namespace
}  // namespace cornerturn::distributed
