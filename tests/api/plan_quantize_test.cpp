#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <set>
#include <vector>

#include "api/prepare.hpp"
#include "api/quantize.hpp"
#include "plan/quantize_candidates.hpp"
#include "support/scratch.hpp"

namespace cornerturn {
namespace {

/// Rows with a scale each, which threads can keep.
quantize_layout layout_of_rows() {
  return {
      .rows = 64, .cols = 512, .pitch = 512, .blocks = scale_blocks::rows, .row_wise = {true, 16, 512, 1, 1}, .finds_amax = true};
}

/// Other layouts, each of which differs from this one in a single member.
std::vector<quantize_layout> other_layouts() {
  std::vector<quantize_layout> result;
  for (std::function<void(quantize_layout&)> const& change : std::vector<std::function<void(quantize_layout&)>>{
           [](auto& each) { each.source_type = element_type::f16; }, [](auto& each) { each.type = element_type::f8_e5m2; },
           [](auto& each) { each.rows = 65; }, [](auto& each) { each.cols = 504; }, [](auto& each) { each.pitch = 520; },
           [](auto& each) { each.blocks = scale_blocks::squares; }, [](auto& each) { each.recipe.least = 1; },
           [](auto& each) { each.recipe.power_of_two = true; }, [](auto& each) { each.reads_scale = true; },
           [](auto& each) { each.source_alignment = 2; }, [](auto& each) { each.source_scale_row_stride = 1; },
           [](auto& each) { each.source_scale_block_stride = 1; }, [](auto& each) { each.row_wise.alignment = 8; },
           [](auto& each) { each.row_wise.pitch = 528; }, [](auto& each) { each.row_wise.scale_row_stride = 2; },
           [](auto& each) { each.row_wise.scale_block_stride = 2; }, [](auto& each) { each.row_wise.is_wanted = false; },
           [](auto& each) { each.column_wise.is_wanted = true; }, [](auto& each) { each.finds_amax = false; }}) {
    result.push_back(layout_of_rows());
    change(result.back());
  }
  return result;
}

TEST(quantize_key, differs_with_every_member_of_the_layout) {
  std::set<std::vector<std::int64_t>> keys;
  auto all = other_layouts();
  all.push_back(layout_of_rows());
  for (auto const& each : all) {
    auto const key = key_of(each, {0, {}, 0});
    EXPECT_TRUE(keys.insert({key.words().begin(), key.words().end()}).second) << keys.size();
  }
  auto const threads = key_of(layout_of_rows(), {kHost, {}, 2});
  EXPECT_TRUE(keys.insert({threads.words().begin(), threads.words().end()}).second);
}

TEST(quantize_candidates, are_two_if_threads_can_keep_the_rows) {
  auto layout = layout_of_rows();
  auto const all = quantize_candidates_of(layout);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_LE(all[0].seconds, all[1].seconds);
  EXPECT_NE(id_of(all[0]), id_of(all[1]));
  EXPECT_EQ(all[0].workspace_bytes + all[1].workspace_bytes, 4 * (64 + 512));
  layout.source_alignment = 2;
  EXPECT_EQ(quantize_candidates_of(layout).size(), 1u);
  layout = layout_of_rows(), layout.row_wise.is_wanted = false;
  EXPECT_EQ(quantize_candidates_of(layout).size(), 1u);
}

TEST(quantize_candidates, of_no_elements_clear_the_amax) {
  auto layout = layout_of_rows();
  layout.rows = 0;
  auto const all = quantize_candidates_of(layout);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(describe(all.front()), "clear 4 bytes");
}

TEST(quantize_choice, that_was_measured_is_found) {
  test::scratch const folder;
  setenv("CORNERTURN_CACHE_DIR", (folder / "").c_str(), 1);
  forget_choices();
  auto const all = quantize_candidates_of(layout_of_rows());
  auto const selection_for = [&](quantize_layout const& layout) {
    auto const plan = unplanned_for(layout, {kHost, {}, 0});
    auto result = selection_of(plan, layout);
    result.first = [&] { return all.front(); }, result.candidates = [&] { return all; };
    result.start = [&] { return [&](candidate const& each) { return id_of(each) == id_of(all.back()) ? 1e-3 : 2e-3; }; };
    return result;
  };
  auto const chosen = [&](quantize_layout const& layout) { return choose(selection_for(layout), planning_effort::estimate); };
  EXPECT_EQ(id_of(chosen(layout_of_rows())), id_of(all.front()));
  measure_choice(selection_for(layout_of_rows()));
  forget_choices();  // as a new process
  EXPECT_EQ(id_of(chosen(layout_of_rows())), id_of(all.back()));
  EXPECT_EQ(chosen(layout_of_rows()).why, "measured before");
  auto others = layout_of_rows();
  others.column_wise = {true, 16, 64, 1, 1};
  EXPECT_EQ(id_of(chosen(others)), id_of(all.front()));
  unsetenv("CORNERTURN_CACHE_DIR");
  forget_choices();
}

TEST(quantize_plan, describes_itself) {
  auto const plan = prepare_quantize(layout_of_rows(), {kHost, {}, 0});
  EXPECT_EQ(describe(plan->chosen), "quantize bf16 to f8_e4m3fn, scales of rows: 4 tiles of 128x128 elements");
  EXPECT_EQ(id_of(plan->chosen), "cpu-quantize.1: 0,0");
  EXPECT_TRUE(describe(*plan).starts_with("shape (64, 512), byte strides (1024, 2) to (512, 1), ")) << describe(*plan);
}

}  // namespace
}  // namespace cornerturn
