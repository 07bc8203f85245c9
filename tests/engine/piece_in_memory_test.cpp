#include "engine/file/piece_in_memory.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "cpu/memory.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {
namespace {

using numbers = std::vector<std::int64_t>;

/// A file is moved in pieces by default, because one piece of half the memory takes several times as long as pieces do.
TEST(usual_memory, has_a_limit_that_large_files_exceed) {
  auto const large = canonical(permutation(numbers{20'000, 40'000}, {}, numbers{1, 0}, 4));
  for (auto const& [processor, most] :
       {std::pair<processor_kind, std::int64_t>{processor_kind::cpu, 256 << 20}, {processor_kind::gpu, std::int64_t(2) << 30}}) {
    auto const usual = usual_memory(large, processor);
    EXPECT_LE(usual, most);
    EXPECT_GT(pieces_of(large, usual / piece_buffers::kCount).size(), 1);
    // where other programs leave enough
    if (cpu::available_memory() / 4 > most) {
      EXPECT_EQ(usual, most);
    }
  }
}

TEST(usual_memory, is_never_less_than_the_least) {
  for (auto const& shape : {numbers{3000, 2000}, {3, 100'000}, {7, 5}}) {
    auto const p = canonical(permutation(shape, {}, numbers{1, 0}, 4));
    EXPECT_GE(usual_memory(p, processor_kind::cpu), least_memory(p));
  }
}

}  // namespace
}  // namespace cornerturn
