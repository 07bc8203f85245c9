#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <limits>
#include <vector>

#include "engine/cpu/cpu.hpp"
#include "engine/cpu/machine.hpp"
#include "plan/cpu_sizes.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {
namespace {

/// Matrices whose rows lie a power of two apart, and their neighbours a few elements away: the time of an element, at its best of
/// many rounds in which they take turns, and the mean over several places of the destination within its page. Neighbours take
/// twice as long where loads and stores have the same offsets within their pages.
TEST(cpu_cliffs, slow_powers_of_two_take_no_longer_than_their_neighbours) {
  using clock = std::chrono::steady_clock;
  constexpr int kRounds = 40;
  constexpr std::size_t kPlaces = 4, kOff = 16;  // NumPy's large arrays begin so
  constexpr double kLimit = 1.8;                 // 1024 f32 takes 1.67 times as long on a Zen 5
  struct matrix {
    std::int64_t extent, size;
  };
  for (auto const& [extent, size] :
       {matrix{512, 4}, {1024, 4}, {512, 8}, {512, 16}, {1024, 16}, {1024, 1}, {1024, 2}, {2048, 2}, {3072, 4}}) {
    std::array const extents{extent - 12, extent, extent - 28};
    auto const bytes = std::size_t(extent * extent * size) + 2 * kPage;
    std::vector<std::byte> from(bytes), to(bytes);
    auto const first = [](std::vector<std::byte>& memory, std::size_t place) {
      return memory.data() + kOff + place + std::size_t(-reinterpret_cast<std::uintptr_t>(memory.data()) % kPage);
    };
    std::vector<cpu_plan> plans;
    for (auto const each : extents)
      plans.push_back(plan_cpu(canonical(permutation(std::vector{each, each}, {}, std::vector<std::int64_t>{1, 0}, size)),
                               cpu::usual_tile_hint()));
    std::array<double, 3> mean{};
    for (std::size_t place = 0; place < kPage; place += kPage / kPlaces) {
      std::array<double, 3> best;
      best.fill(std::numeric_limits<double>::max());
      for (int round = 0; round < kRounds; ++round)
        for (std::size_t k = 0; k < plans.size(); ++k) {
          auto const start = clock::now();
          cpu::run_alone(plans[k], first(from, 0), first(to, place));
          std::chrono::duration<double, std::nano> const took = clock::now() - start;
          best[k] = std::min(best[k], took.count() / double(extents[k] * extents[k]));
        }
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += best[k] / kPlaces;
    }
    EXPECT_LT(mean[1], kLimit * std::max(mean[0], mean[2])) << extent << " x " << extent << " of " << size << " bytes";
  }
}

}  // namespace
}  // namespace cornerturn
