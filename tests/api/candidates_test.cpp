#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <utility>

#include "cornerturn/error.hpp"
#include "cornerturn/plan.hpp"
#include "support/message.hpp"
#include "support/scratch.hpp"

namespace cornerturn {
namespace {

TEST(plan_candidates, are_told_without_a_gpu_the_quickest_first) {
  auto const all = plan_candidates({256, 224, 224, 3}, {0, 3, 1, 2}, 1);
  ASSERT_GT(all.size(), 1u);
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &plan_candidate::seconds));
  for (auto const& each : all) {
    EXPECT_FALSE(each.kernel.empty());
    EXPECT_GT(each.seconds, 0) << each.kernel;
    EXPECT_TRUE(each.ratio > 0 && each.ratio < 1.1) << each.kernel << ": " << each.ratio;
  }
}

TEST(plan_candidates, of_the_cpu_begin_with_the_one_that_is_planned) {
  test::scratch const folder;  // where nothing was measured
  setenv("CORNERTURN_CACHE_DIR", (folder / "").c_str(), 1);
  for (auto const& [shape, most] :
       {std::pair<std::vector<std::int64_t>, std::size_t>{{8192, 8192}, 8}, {{1500, 700}, 8}, {{8, 8}, 1}}) {
    auto const all = plan_candidates(shape, {1, 0}, 2, {.processor = processor_kind::cpu});
    ASSERT_TRUE(!all.empty() && all.size() <= most);
    EXPECT_EQ(all.size() > 1, most > 1);
    auto const planned = plan_permute(shape, {1, 0}, 2, {.processor = processor_kind::cpu}).describe();
    EXPECT_NE(planned.find(": " + all.front().kernel + "; estimated"), std::string::npos) << planned;
    for (auto const& each : all) {
      EXPECT_GT(each.seconds, 0) << each.kernel;
      EXPECT_TRUE(each.ratio > 0 && each.ratio < 1.1) << each.kernel << ": " << each.ratio;
      EXPECT_NE(each.model.find(" of an AMD EPYC (Zen 4)"), std::string::npos) << each.model;
    }
    std::set<std::string> different;
    for (auto const& each : all) different.insert(each.kernel);
    EXPECT_EQ(different.size(), all.size());
  }
  unsetenv("CORNERTURN_CACHE_DIR");
}

TEST(plan_candidates, a_copy_is_the_copy_that_others_are_held_against) {
  EXPECT_DOUBLE_EQ(plan_candidates({1 << 20}, {0}, 4).front().ratio, 1);
}

TEST(plan_candidates, of_the_cpu_are_as_fast_as_their_threads) {
  auto const with = [](int threads) {
    return plan_candidates({8192, 8192}, {1, 0}, 4, {.processor = processor_kind::cpu, .threads = threads}).front();
  };
  EXPECT_EQ(with(1).model.find("1 thread of an AMD EPYC (Zen 4)"), 0u) << with(1).model;
  EXPECT_GE(with(1).seconds, with(2).seconds);
  EXPECT_EQ(test::message_of([&] { with(-1); }), "threads is -1; it must be 0 or more");
  EXPECT_DOUBLE_EQ(plan_candidates({1 << 28}, {0}, 4, {.processor = processor_kind::cpu}).front().ratio, 1);
}

TEST(plan_candidates, of_an_h200_need_none) {
  auto const all = plan_candidates({4096, 4096}, {1, 0}, 2, {.device = 99}, estimated_gpu::h200);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().model, "an H200");
  EXPECT_GT(all.front().seconds, 0);
  EXPECT_EQ(plan_quantize({.rows = 300, .cols = 512}, estimated_gpu::h200).model, "an H200");
  EXPECT_EQ(quantize_candidates({.rows = 300, .cols = 512}, estimated_gpu::h200).front().model, "an H200");
}

TEST(plan_candidates, depend_on_the_alignment) {
  auto const seconds = [](int source, int destination) {
    return plan_candidates({4096, 4096}, {1, 0}, 2, {.source_alignment = source, .destination_alignment = destination})
        .front()
        .seconds;
  };
  EXPECT_GT(seconds(2, 2), seconds(16, 16));
  EXPECT_EQ(seconds(256, 32), seconds(16, 16));
}

TEST(plan_candidates, are_none_where_there_is_nothing_to_move) { EXPECT_TRUE(plan_candidates({3, 0}, {1, 0}, 4).empty()); }

TEST(plan_candidates, of_one_element) { EXPECT_FALSE(plan_candidates({}, {}, 4).empty()); }

TEST(plan_candidates, names_what_is_wrong) {
  auto const said = [](index_list axes, plan_options const& options = {}) {
    return test::message_of([&] { plan_candidates({2, 3}, axes, 4, options); });
  };
  EXPECT_EQ(said({0}), "axes is (0); it must be a permutation of 0 to 1 for an array of rank 2");
  EXPECT_EQ(said({1, 0}, {.source_alignment = 3}), "source_alignment is 3; it must be a power of two");
}

TEST(plan_quantize, has_the_estimate_of_the_explanation) {
  for (auto const blocks : {scale_blocks::rows, scale_blocks::squares})
    for (bool const column_wise : {false, true}) {
      quantized_case const given{.rows = 300, .cols = 512, .blocks = blocks, .column_wise = column_wise};
      auto const planned = plan_quantize(given);
      auto const explained = explain_quantize(given);
      EXPECT_EQ(planned.kernel, explained.plan);
      EXPECT_EQ(planned.seconds, explained.seconds);
      EXPECT_EQ(planned.ratio, explained.predicted);
      EXPECT_EQ(planned.model, explained.gpu);
      EXPECT_GT(planned.ratio, 0);
      EXPECT_LT(planned.ratio, 1.1);
    }
}

/// The first launch has as many blocks as the second one, reads the matrix as that does and stores nothing.
TEST(plan_quantize, by_rows_reads_the_matrix_twice) {
  auto const counts = [](scale_blocks blocks) {
    auto const explained = explain_quantize({.rows = 300, .cols = 512, .blocks = blocks, .column_wise = true});
    std::int64_t loads = 0, stores = 0;  // of vectors of 16 bytes and of 8-bit floats
    for (auto const& each : explained.instructions) {
      if (each.space != memory_space::global || each.bytes == 4) continue;
      (each.store ? stores : loads) += each.requests;
    }
    return std::array{explained.blocks, loads, stores};
  };
  auto const [blocks, loads, stores] = counts(scale_blocks::row_blocks);
  EXPECT_EQ(counts(scale_blocks::rows), (std::array{2 * blocks, 2 * loads, stores}));
}

TEST(plan_candidates, are_refused_where_a_gpu_cannot_count_them) {
  auto const said = [](index_list shape) { return test::message_of([&] { plan_candidates(shape, {1, 0}, 1); }); };
  EXPECT_EQ(said({(1ll << 31) - 1, (1ll << 31) - 1}),
            "size is 4611686014132420609 bytes; it must be at most 140737488355328 on a GPU");
  EXPECT_EQ(said({(1ll << 28) - 3, (1ll << 19) - 1}).substr(0, 30), "the array's number of tiles is");
  EXPECT_EQ(said({1 << 20, 1 << 20}), "");
}

}  // namespace
}  // namespace cornerturn
