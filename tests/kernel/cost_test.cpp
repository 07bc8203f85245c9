#include "kernel/family_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/host/host.hpp"
#include "explain/requests.hpp"
#include "kernel/packed/plan.hpp"
#include "kernel/quantize/plan.hpp"
#include "plan/choose.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "support/program_cases.hpp"

namespace cornerturn {
namespace {

constexpr std::uintptr_t kReadAddress = std::uintptr_t(1) << 40, kWrittenAddress = std::uintptr_t(1) << 41;

/// What all blocks of a launch do, as they are recorded.
struct recorded_work {
  double bytes = 0, sectors = 0;  ///< of global memory
  double wavefronts = 0;          ///< of shared memory
  double loaded = 0, stored = 0;  ///< cache lines, once for each request
  double requests = 0;            ///< of global and of shared memory
};

/// Records a block of each class.
template <class Plan>
recorded_work recorded(Plan const& plan, std::uintptr_t source = kReadAddress) {
  recorded_work result;
  host::record(plan, source, kWrittenAddress, [&](recording const& one, std::int64_t blocks) {
    for (auto const& each : requests_of(one)) {
      auto const add = [&](double& sum, std::int64_t count) { sum += double(blocks * count); };
      add(result.requests, 1);
      if (each.space() == memory_space::shared) {
        add(result.wavefronts, wavefronts(each));
        continue;
      }
      add(result.bytes, each.active() * each.bytes());
      add(result.sectors, sectors(each));
      add(each.store() ? result.stored : result.loaded, touched_pieces_of(each, kLineBytes).all);
    }
  });
  return result;
}

/// The families of kernels.
std::vector<test::family_facts> counted_families() {
  auto result = test::kernel_facts();
  result.push_back({.name = "quantize", .bytes = {0.95, 1.01}, .sectors = {0.9, 1.01}, .instructions = test::kInstructions});
  result.push_back({.name = "packed",
                    .bytes = test::kExact,
                    .sectors = test::kExact,
                    .wavefronts = test::kExact,
                    .instructions = test::kInstructions});
  return result;
}

/// Compares the work of plans with what is recorded. `compared` has the families and what they count.
struct comparison {
  std::vector<test::family_facts> const families = counted_families();
  std::set<std::pair<std::string_view, std::string_view>> compared;

  template <class Plan>
  void add(Plan const& plan, std::uintptr_t source = kReadAddress) {
    auto const& gpu = h200_model();
    auto const found = recorded(plan, source);
    auto const work = work_of(plan, gpu);
    auto const family = std::ranges::find(families, Plan::family, &test::family_facts::name);
    ASSERT_NE(family, families.end()) << Plan::family << " has no bounds";
    auto const expect = [&](std::string_view what, double counted, double recorded, test::count_bounds const& allowed) {
      if (counted == 0) return;
      compared.emplace(Plan::family, what);
      EXPECT_TRUE(counted >= allowed.least * recorded && counted <= allowed.most * recorded)
          << counted << ' ' << what << " for " << recorded << ": " << describe(plan);
    };
    expect("bytes", work.bytes, found.bytes, family->bytes);
    expect("sectors", work.sectors, found.sectors, family->sectors);
    // `direct` and `planes` use no shared memory, and count the level 1 cache's lines instead.
    expect("wavefronts", work.wavefronts,
           found.wavefronts > 0 ? found.wavefronts : found.loaded + gpu.stored_line_share * found.stored, family->wavefronts);
    expect("instructions", work.instructions, found.requests, family->instructions);
  }

  /// The fastest candidate of each family.
  void add_fastest(std::vector<candidate> const& all) {
    std::set<std::string_view> done;
    for (auto const& each : all) {
      auto const& one = each.steps.front();
      with_kernel(one, [&](auto const& plan) {
        bool const is_in_place = one.source.role != buffer_role::source;
        if (done.insert(plan.family).second) add(plan, is_in_place ? kWrittenAddress : kReadAddress);
      });
    }
  }
};

TEST(cost, work_is_about_what_the_recorder_counts) {
  using list = std::vector<std::int64_t>;
  comparison done;
  auto const add = [&](list const& shape, list const& axes, elements const& each, int aligned = 16) {
    done.add_fastest(candidates_of(canonical(permutation(shape, {}, axes, each)), {aligned, aligned}));
  };
  for (int const size : {1, 2, 4, 8, 16}) {
    add({1024, 1024}, {1, 0}, size);
    add({1000, 1020}, {1, 0}, size);
    add({8, 64, 16, 64}, {0, 2, 1, 3}, size);
    add({64, 48, 64, 16}, {3, 2, 0, 1}, size);
    for (auto const& shape : {list{1024, 1024, 1}, {500, 500, 3}, {640, 96, 1}, {512, 32, 1}})
      done.add_fastest(one_step_inplace(canonical(permutation(shape, {}, list{1, 0, 2}, size)), {16, 16}));
  }
  for (int const size : {1, 2}) add({1021, 1023}, {1, 0}, size, size);
  add({65536, 3}, {1, 0}, 4);
  for (int const size : {1, 2})
    done.add(plan_interleave(canonical(permutation(list{65537, 3}, {}, list{1, 0}, size)), {size, size}).value());
  for (auto const destination : {element_type::f32, element_type::bf16}) {
    add({1024, 1024}, {1, 0}, {element_type::f32, destination, 2});
    add({4, 224, 224, 3}, {0, 3, 1, 2}, {element_type::u8, destination});
  }
  for (auto const& each : test::program_cases("boxes")) done.add_fastest({each.way});
  auto* const written = reinterpret_cast<void*>(kWrittenAddress);
  quantize_call const call{
      .source = reinterpret_cast<void const*>(kReadAddress), .row_values = written, .row_scales = static_cast<float*>(written)};
  for (auto const type : {element_type::bf16, element_type::f32})
    for (auto const blocks : {scale_blocks::row_blocks, scale_blocks::squares}) {
      quantize_layout const layout{
          .source_type = type, .rows = 1024, .cols = 2048, .pitch = 2048, .blocks = blocks, .row_wise = {true, 16, 2048, 16, 1}};
      auto const ways = plan_quantize(layout);
      for (auto const& launch : ways.front()) done.add(launch, reinterpret_cast<std::uintptr_t>(&call));
    }
  for (int const bits : {4, 1})
    done.add(plan_packed({.outer = {},
                          .source_row = 128,
                          .destination_row = 256,
                          .source_stride = 128,
                          .destination_stride = 256,
                          .packed = {bits, false}},
                         {16, 16}));
  for (auto const& each : done.families)
    for (auto const& [what, allowed] : {std::pair{"bytes", each.bytes},
                                        {"sectors", each.sectors},
                                        {"wavefronts", each.wavefronts},
                                        {"instructions", each.instructions}})
      EXPECT_EQ(done.compared.contains({each.name, what}), allowed.most > 0) << each.name << ' ' << what;
}

/// Wavefronts are estimated from one load of each vector and one of the offset table. In the last two shapes each source row
/// begins elsewhere within its unit.
TEST(cost, work_of_gather_is_about_what_the_recorder_counts) {
  using list = std::vector<std::int64_t>;
  struct {
    list shape, axes;
  } const cases[] = {{{257, 384}, {1, 0}},
                     {{256, 384}, {1, 0}},
                     {{20, 17, 19, 16}, {3, 2, 0, 1}},
                     {{33, 200, 33}, {2, 1, 0}},
                     {{31, 11, 29, 35}, {2, 0, 3, 1}}};
  for (auto const& each : cases)
    for (std::int64_t const size : {1, 2, 4, 8, 16}) {
      auto const simplest = canonical(permutation(each.shape, {}, each.axes, size));
      auto const plan = plan_gather(refit_elements(simplest, {}), {}, {512, 512, 16 << 10});
      auto const work = work_of(plan, h200_model());
      auto const found = recorded(plan);
      auto const about = [&](double counted, double seen, double least, double most) {
        EXPECT_TRUE(counted >= least * seen && counted <= most * seen) << counted << " for " << seen << ": " << describe(plan);
      };
      about(work.sectors, found.sectors, 0.7, 1.3);
      about(work.wavefronts, found.wavefronts, 0.7, 1.7);
    }
}

rung_plan const* chosen_rung(std::vector<std::int64_t> const& shape, std::vector<std::int64_t> const& axes, std::int64_t size) {
  static candidate chosen;
  chosen = candidates_of(canonical(permutation(shape, {}, axes, size)), {}).front();
  return std::get_if<rung_plan>(&chosen.steps.front().kernel);
}

/// Timed on an H200: 64x64 takes 1.3 times as long as 128x128 where rows begin within sectors.
TEST(cost, narrow_tiles_are_for_rows_that_begin_with_sectors) {
  for (std::int64_t const extent : {8200, 8192}) {
    auto const* const rung = chosen_rung({extent, extent}, {1, 0}, 2);
    ASSERT_TRUE(rung) << extent;
    EXPECT_EQ(std::min(rung->tile.rows, rung->tile.cols), 128) << extent;
  }
}

/// Timed on an H200: an idle thread costs a fourteenth of a busy one.
TEST(cost, a_tile_may_stand_out_of_a_narrow_matrix) {
  auto const* const rung = chosen_rung({220, 136, 1000}, {0, 2, 1}, 4);
  ASSERT_TRUE(rung);
  EXPECT_EQ(rung->kernel, rung::vec_both);
}

}  // namespace
}  // namespace cornerturn
