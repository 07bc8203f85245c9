#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "inplace/plan.hpp"
#include "plan/choose.hpp"
#include "plan/cpu_candidates.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"
#include "support/random_operation.hpp"
#include "support/random_problem.hpp"

namespace cornerturn {
namespace {

using numbers = std::vector<std::int64_t>;

/// Canonical problems that together have candidates of all families: dense arrays of each element size, views, and problems with
/// an operation.
std::vector<problem> test_problems() {
  std::vector<problem> result;
  struct {
    numbers shape, axes;
  } const dense[] = {{{20000, 196, 9}, {0, 2, 1}},
                     {{4096, 4096}, {1, 0}},
                     {{8191, 4099}, {1, 0}},
                     {{50, 24, 26, 13, 51}, {4, 0, 3, 1, 2}},
                     {{64, 224, 224, 3}, {0, 3, 1, 2}},
                     {{6, 100000}, {1, 0}},
                     {{100, 64, 64}, {0, 2, 1}},
                     {{300, 200, 64}, {1, 0, 2}}};
  for (auto const& each : dense)
    for (std::int64_t const size : {1, 2, 4, 8, 16}) result.push_back(canonical(permutation(each.shape, {}, each.axes, size)));
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 generator(seed);
    auto p = test::random_problem(seed, {.extent = 3 + std::int64_t(generator() % 40), .zero_extents = false});
    if (seed % 3 == 0) p = with_operation(p, test::random_operation(generator));
    result.push_back(canonical(p));
  }
  return result;
}

/// What tells two candidates apart besides their ids: the description and the expected time.
std::string text_of(candidate const& each) { return fmt::format("{}, {:.17g} s", describe(each), each.seconds); }

/// Adds candidates of one problem to `known`, by their ids. Two of them may have one id if their texts are equal, too.
void expect_ids_apart(std::map<std::string, std::string>& known, std::vector<candidate> const& all, problem const& p) {
  for (auto const& each : all) {
    auto const id = id_of(each);
    EXPECT_EQ(id.find_first_of("\t\n"), std::string::npos) << id;
    auto const [at, is_new] = known.emplace(id, text_of(each));
    EXPECT_TRUE(is_new || at->second == text_of(each)) << to_string(p) << ": " << id << "\n"
                                                       << at->second << "\n"
                                                       << text_of(each);
  }
}

TEST(plan_id, tells_the_candidates_of_a_gpu_apart) {
  for (auto const& p : test_problems())
    for (alignment const aligned : {alignment{16, 16}, alignment{int(p.element_size.source), int(p.element_size.destination)}}) {
      auto const all = candidates_of(p, aligned);
      std::map<std::string, std::string> known;
      expect_ids_apart(known, all, p);
      EXPECT_EQ(known.size(), all.size()) << to_string(p);
      for (auto const& again : candidates_of(p, aligned)) EXPECT_TRUE(known.contains(id_of(again))) << id_of(again);
    }
}

TEST(plan_id, tells_the_plans_of_the_cpu_apart) {
  for (auto const& p : test_problems()) {
    std::map<std::string, std::string> known;
    for (std::int64_t const kib : {16, 256})
      for (std::int64_t const run : {0, 256}) {
        cpu_tile_hint const hint{.tile = kib << 10, .columns = 8 * kib, .run = run, .streamed_above = kib << 12};
        auto const all = cpu_candidates_of(p, hint);
        expect_ids_apart(known, all, p);
        EXPECT_EQ(id_of(cpu_candidate_of(p, hint)), id_of(all.front()));
      }
  }
}

TEST(plan_id, tells_plans_in_place_apart) {
  struct {
    numbers shape, axes;
  } const cases[] = {
      {{1000, 1000}, {1, 0}},           {{1000, 72}, {1, 0}},      {{1009, 96}, {1, 0}},       {{20, 30, 40}, {2, 1, 0}},
      {{20, 30, 40, 50}, {3, 1, 2, 0}}, {{64, 64, 80}, {1, 0, 2}}, {{5000, 16, 12}, {0, 2, 1}}};
  for (auto const& each : cases)
    for (std::int64_t const size : {1, 2, 4, 8, 16}) {
      auto const p = canonical(permutation(each.shape, {}, each.axes, size));
      std::map<std::string, std::string> known, known_on_cpu;
      expect_ids_apart(known, inplace_candidates_of(p, {16, 16}), p);
      for (std::int64_t const panel : {32 << 10, 256 << 10, 1 << 20})
        if (auto const way = cpu_inplace_candidate_of(p, {.panel = panel, .longest_panel = 8 * panel}))
          expect_ids_apart(known_on_cpu, {*way}, p);
    }
}

}  // namespace
}  // namespace cornerturn
