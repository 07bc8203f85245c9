#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "cornerturn/distributed.hpp"
#include "cornerturn/error.hpp"
#include "support/guarded.hpp"
#include "support/random_description.hpp"
#include "support/sharded.hpp"

namespace cornerturn::distributed {
namespace {

using blocks = std::vector<std::vector<std::byte>>;

blocks blocks_of(test::sharded_array const& array, description const& given) {
  blocks result;
  for (int rank = 0; rank < test::ranks_of(given); ++rank)
    result.push_back(array.block_of(rank, given.element.bytes(), given.shape));
  return result;
}

TEST(local_plan, moves_random_arrays_between_the_blocks_of_all_ranks) {
  for (unsigned seed = 0; seed < 400 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    auto const given = test::random_description(seed);
    auto const sources = blocks_of(test::source_of(given), given), wanted = blocks_of(test::destination_of(given), given);
    std::mt19937 draw(seed);
    std::deque<test::guarded> read, written;
    std::vector<rank_memory> memory;
    for (std::size_t rank = 0; rank < sources.size(); ++rank)
      memory.push_back({read.emplace_back(sources[rank], draw).data(),
                        written.emplace_back(std::vector<std::byte>(wanted[rank].size()), draw).data()});
    permute(memory, given);
    for (std::size_t rank = 0; rank < sources.size(); ++rank)
      EXPECT_TRUE(read[rank].holds(sources[rank]) && written[rank].holds(wanted[rank])) << "rank " << rank;
  }
}

/// Two ranks with a row of 4 bytes each, of a matrix whose transpose has 2 rows per rank.
struct rows_of_two {
  description given{{2, 4}, {1, 0}, {{2}, {0}}, {{2}, {0}}, 1};
  std::vector<std::byte> all = std::vector<std::byte>(16);
  std::vector<rank_memory> memory{{&all[0], &all[8]}, {&all[4], &all[12]}};

  std::string error_of(std::function<void(rows_of_two&)> const& change, int threads = 0) {
    change(*this);
    try {
      local_plan(given).run(memory, threads);
    } catch (error const& thrown) {
      return thrown.what();
    }
    return "";
  }
};

TEST(local_plan, refuses_blocks_that_it_cannot_use) {
  EXPECT_EQ(rows_of_two().error_of([](auto&) {}), "");
  EXPECT_EQ(rows_of_two().error_of([](auto& of) { of.memory.pop_back(); }),
            "the number of ranks is 1; it must be 2, as in the plan");
  EXPECT_EQ(rows_of_two().error_of([](auto& of) { of.memory[1].source = nullptr; }),
            "source of rank 1 is null; it must be not null, as its block is not empty");
  EXPECT_EQ(rows_of_two().error_of([](auto& of) { of.memory[1].destination = &of.all[9]; }),
            "destination of rank 1 is within the addresses of destination of rank 0; it must be memory of its own");
  EXPECT_EQ(rows_of_two().error_of([](auto& of) { of.memory[0].source = &of.all[11]; }),
            "source of rank 0 is within the addresses of destination of rank 0; it must be memory of its own");
  EXPECT_EQ(rows_of_two().error_of([](auto& of) { of.memory[1].destination = &of.all[3]; }),
            "destination of rank 1 is within the addresses of source of rank 0; it must be memory of its own");
  EXPECT_EQ(rows_of_two().error_of([](auto&) {}, -1), "threads is -1; it must be 0 or more");
}

TEST(local_plan, lets_blocks_that_are_read_overlap) {
  description const copies{{3}, {0}, {{2}, {kReplicated}}, {{2}, {kReplicated}}, 1};
  std::vector<std::byte> const one{std::byte(1), std::byte(2), std::byte(3)};
  std::vector<std::byte> first(3), second(3);
  permute(std::vector<rank_memory>{{one.data(), first.data()}, {one.data(), second.data()}}, copies);
  EXPECT_EQ(first, one);
  EXPECT_EQ(second, one);
}

}  // namespace
}  // namespace cornerturn::distributed
