#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cornerturn/explain.hpp"
#include "engine/host/host.hpp"
#include "explain/instructions.hpp"
#include "inplace/gpu.hpp"
#include "inplace/plan.hpp"
#include "kernel/limited/plan.hpp"
#include "kernel/packed/plan.hpp"
#include "kernel/quantize/plan.hpp"
#include "plan/choose.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "problem/validate.hpp"
#include "support/limited.hpp"
#include "support/random_operation.hpp"
#include "support/random_problem.hpp"
#include "support/seeds.hpp"
#include "support/slowed.hpp"

namespace cornerturn {
namespace {

constexpr std::uintptr_t kRecordedOrigin = 1 << 20;

using instruction_key = std::tuple<std::string, int, memory_space, bool, int>;
using totals_by_instruction = std::map<instruction_key, std::vector<std::int64_t>>;

totals_by_instruction totals_of(std::vector<memory_instruction> const& instructions) {
  totals_by_instruction result;
  for (auto const& each : instructions)
    result[{each.file, each.line, each.space, each.store, each.box ? 0 : each.bytes}] = {
        each.requests,    each.active_lanes,  each.sectors,     each.ideal_sectors,    each.partial_sectors,
        each.half_lines,  each.lines,         each.wavefronts,  each.ideal_wavefronts, each.bytes_needed,
        each.bytes_moved, each.split_sectors, each.warp_sectors};
  return result;
}

template <class Plan>
totals_by_instruction of_every_block(Plan const& plan, std::uintptr_t source, std::uintptr_t destination) {
  recording every{.addresses_only = true, .accesses = {}};
  host::run(plan, reinterpret_cast<void const*>(source), reinterpret_cast<void*>(destination), &every);
  return totals_of(instructions_of({{1, every}}, kRecordedOrigin));
}

struct array_case {
  std::vector<std::int64_t> shape, axes;
  std::int64_t size;
  int shift = 0;  ///< bytes of both buffers behind a line
};

/// What one block of each kind adds up to, against all blocks of the launch.
template <class Plan>
void compare_with_all_blocks(Plan const& plan, std::uintptr_t source, std::uintptr_t destination) {
  instruction_counts counts(kRecordedOrigin);
  host::record(plan, source, destination, [&](recording const& block, std::int64_t alike) { counts.add(block, alike); });
  EXPECT_EQ(totals_of(counts.all()), of_every_block(plan, source, destination)) << describe(plan);
}
/// Both buffers begin `shift` bytes behind a line.
template <class Plan>
void compare_with_all_blocks(Plan const& plan, int shift) {
  auto const address = kRecordedOrigin + std::uintptr_t(shift);
  compare_with_all_blocks(plan, address, address);
}
void compare_with_all_blocks(step const& kernel, int shift) {
  with_kernel(kernel, [&](auto const& plan) { compare_with_all_blocks(plan, shift); });
}

alignment aligned_to(int shift) {
  int const bytes = std::gcd(shift, 16);
  return {bytes, bytes};
}

class planned_counts : public testing::TestWithParam<array_case> {};

TEST_P(planned_counts, by_kinds_of_blocks_are_those_of_all_of_them) {
  auto const& [shape, axes, size, shift] = GetParam();
  for (auto const& way : candidates_of(canonical(permutation(shape, {}, axes, size)), aligned_to(shift)))
    compare_with_all_blocks(way.steps.front(), shift);
}

/// Matrices that are quantised: whole tiles and not, rows of vectors and not, scales in both orders.
TEST(planned_counts, of_matrices_that_are_quantised) {
  using enum element_type;
  auto const array = [](std::int64_t from) { return reinterpret_cast<float*>(kRecordedOrigin + std::uintptr_t(from)); };
  // The second output is behind the first one, so that no store of one meets those of the other.
  constexpr std::int64_t kBehind = 1 << 20;
  for (auto const source : {bf16, f32, f8_e4m3fn})
    for (auto const blocks : {scale_blocks::rows, scale_blocks::row_blocks, scale_blocks::squares, scale_blocks::tensor})
      for (auto const& [rows, cols] : {std::array<std::int64_t, 2>{128, 384}, {172, 163}})
        for (bool const is_row_major : {false, true}) {
          if (test::is_slowed() && rows == 128) continue;
          if (is_row_major && blocks != scale_blocks::row_blocks) continue;  // the order of a single scale
          auto const output = [&](std::int64_t height, std::int64_t width) -> quantize_output {
            return {true, 16, width, is_row_major ? ceil_div(width, kScaleTile) : 1, is_row_major ? 1 : height};
          };
          quantize_layout const layout{.source_type = source,
                                       .rows = rows,
                                       .cols = cols,
                                       .pitch = cols,
                                       .blocks = blocks,
                                       .source_scale_row_stride = ceil_div(cols, kScaleTile),
                                       .source_scale_block_stride = 1,
                                       .row_wise = output(rows, cols),
                                       .column_wise = output(cols, rows),
                                       .finds_amax = true};
          quantize_call call{.source = array(0),
                             .source_scales = source == f8_e4m3fn ? array(0) : nullptr,
                             .row_values = array(0),
                             .column_values = array(kBehind),
                             .row_scales = array(0),
                             .column_scales = array(4 * kBehind),
                             .amax = array(0)};
          for (auto const& launches : plan_quantize(layout))
            for (auto const& launch : launches)
              compare_with_all_blocks(launch, reinterpret_cast<std::uintptr_t>(&call), kRecordedOrigin);
        }
}

/// Matrices of packed elements, of whole tiles and not, whose rows begin at the same byte of a line or not.
TEST(planned_counts, of_packed_elements) {
  for (std::int64_t const row : {256, 33})
    compare_with_all_blocks(plan_packed({.outer = {{2, 900'000, 900'003}},
                                         .source_row = row,
                                         .destination_row = 130,
                                         .source_stride = row,
                                         .destination_stride = 132,
                                         .packed = {4, false}},
                                        {16, 4}),
                            0);
}

/// Copies that are padded or cropped, whose limits are between any elements of a block.
TEST(planned_counts, of_limited_copies) {
  int counted = 0;
  for (unsigned seed = 0; seed < (test::is_slowed() ? 30u : 120u); ++seed) {
    auto const each = test::random_limited_case(seed);
    auto const limited = limited_of(each.copy);
    auto const place = [&](std::int64_t first) { return kRecordedOrigin + std::uintptr_t(first * each.copy.element_size); };
    auto const aligned = [&](std::int64_t first) { return int(std::gcd(first * each.copy.element_size, 16)); };
    if (!limited) continue;
    auto const plan = plan_limited(*limited, {aligned(each.source_first), aligned(each.destination_first)});
    if (!plan || plan->copy.blocks == 0) continue;
    compare_with_all_blocks(*plan, place(each.source_first), place(each.destination_first));
    ++counted;
  }
  EXPECT_GT(counted, 15);
}

/// Swizzled tiles, by both kernels.
TEST(planned_counts, of_swizzled_copies) {
  int counted = 0;
  for (unsigned seed = 0; seed < (test::is_slowed() ? 20u : 80u); ++seed) {
    auto const limited = limited_of(test::random_swizzled_case(seed).copy);
    ASSERT_TRUE(limited);
    if (auto const plan = plan_limited(*limited, {})) compare_with_all_blocks(*plan, kRecordedOrigin, kRecordedOrigin);
    for (auto const& plan : plan_swizzled(*limited, {}, h200_model())) {
      compare_with_all_blocks(plan, kRecordedOrigin, kRecordedOrigin);
      ++counted;
    }
  }
  EXPECT_GT(counted, 15);
}

/// Squares in place, aligned and not, in batches whose squares begin at different places of a cache line.
TEST(planned_counts, of_squares_in_place) {
  for (std::int64_t const size : {1, 2, 4, 8, 16})
    for (std::int64_t const n : {5, 20, 63, 144, 257})
      for (std::int64_t const inner : {1, 2})
        for (std::int64_t const run : {1, 3, 700})
          for (int const shift : {0, int(size)}) {
            std::int64_t const most = inner > 1 || size > 4 || test::is_slowed() ? 70 : size > 1 ? 150 : 300;
            if (n > most / run) continue;
            auto const p =
                permutation(std::vector<std::int64_t>{2, n, inner, n, run}, {}, std::vector<std::int64_t>{0, 3, 2, 1, 4}, size);
            for (auto const& way : inplace_candidates_of(canonical(p), aligned_to(shift)))
              compare_with_all_blocks(way.steps.front(), shift);
          }
}

/// Panels of rectangles whose rows have gaps, of several panels each, aligned and not.
TEST(planned_counts, of_panels_in_place) {
  for (std::int64_t const size : test::is_slowed() ? std::vector<std::int64_t>{1, 8} : std::vector<std::int64_t>{1, 4, 16})
    for (auto const& [m, n] : {std::array<std::int64_t, 2>{96, 160}, {50, 37}, {37, 50}, {64, 600}})
      for (std::int64_t const run : {1, 3})
        for (int const shift : {0, int(size)}) {
          auto const p = permutation(std::vector<std::int64_t>{2, m, n, run}, {}, std::vector<std::int64_t>{0, 2, 1, 3}, size);
          auto const aligned = aligned_to(shift);
          auto const whole = rectangles_of(canonical(p), aligned);
          ASSERT_TRUE(whole);
          if (auto const plan =
                  plan_panels(passes_of(*whole, cut_into(*whole, 4), false).panel, aligned.destination, h200_model()))
            compare_with_all_blocks({*plan}, shift);
        }
}

/// Boxes of one block and of clusters, whose last part and last block have less, aligned and not.
TEST(planned_counts, of_boxes_in_place) {
  for (std::int64_t const size : {1, 4, 16})
    for (auto const& [rows, between, columns, bytes] :
         {std::array<std::int64_t, 4>{5, 1, 7, 1200}, {3, 5, 4, 96}, {23, 1, 19, 208}})
      for (int const shift : {0, int(size)}) {
        auto const p = canonical(permutation(std::vector<std::int64_t>{2, rows, between, columns, bytes / size}, {},
                                             std::vector<std::int64_t>{0, 3, 2, 1, 4}, size));
        auto gpu = h200_model();
        gpu.limits.shared_bytes_per_sm = 16 << 10;
        compare_with_all_blocks({plan_boxes(exchange_of(refit_elements(p, aligned_to(shift))).value(), gpu).value()}, shift);
      }
}

/// Chunks of skinny rectangles that leave a rest: groups of panels, and of runs, with gaps.
TEST(planned_counts, of_chunks_in_place) {
  auto gpu = h200_model();
  gpu.limits.shared_bytes_per_sm = 8192 + gpu.limits.reserved_shared_bytes;
  for (std::int64_t const size : test::is_slowed() ? std::vector<std::int64_t>{4} : std::vector<std::int64_t>{1, 4, 16})
    for (auto const& [m, n] : {std::array<std::int64_t, 2>{24'000 / size + 1, 5}, {5, 24'000 / size + 16}})
      for (int const shift : {0, int(size)}) {
        auto const aligned = aligned_to(shift);
        auto const p = permutation(std::vector<std::int64_t>{2, m, n}, {}, std::vector<std::int64_t>{0, 2, 1}, size);
        for (auto const& each : gpu_skinny(rectangles_of(canonical(p), aligned).value(), aligned, gpu, kAnyWorkspace)) {
          compare_with_all_blocks({each.panel}, shift);
          compare_with_all_blocks(each.runs.value(), shift);
        }
      }
}

/// Views of any strides, negative ones too, in small tiles.
TEST(planned_counts, of_random_problems) {
  test::for_each_seed(60, [](unsigned seed) {
    std::mt19937 generator(seed);
    auto const draw = [&](auto const&... options) {
      std::int64_t const all[] = {options...};
      return all[generator() % sizeof...(options)];
    };
    auto const p = canonical(test::random_problem(seed, {.rank = 5, .extent = draw(5, 9, 20, 60), .zero_extents = false}));
    if (destination_range(p).high > 40'000 || source_range(p).high > 400'000) return;
    int const shift = int(draw(0, 0, 1, 2, 4, 8, 20) * shared_element_size(p));
    auto const aligned = aligned_to(shift);
    tile_hint const hint{draw(16, 64, 256), draw(16, 64, 256, 512), draw(256, 2048, 8192), int(draw(0, 2, 4))};
    auto const refitted = refit_elements(p, aligned);
    compare_with_all_blocks({plan_gather(refitted, aligned, hint)}, shift);
    for (int const depth : kDirectDepths)
      if (auto const plan = plan_direct(refitted, depth)) compare_with_all_blocks({*plan}, shift);
    tiled_hint const tiled{draw(16, 64, 256), draw(16, 64, 512), draw(256, 4096, 16384)};
    if (auto const plan = plan_tiled(refitted, aligned, tiled)) compare_with_all_blocks({*plan}, shift);
    if (auto const plan = plan_interleave(refitted, aligned)) compare_with_all_blocks({*plan}, shift);
    for (auto const& plan : plan_unaligned(refitted)) compare_with_all_blocks({plan}, shift);
  });
}

/// Views like those above, whose elements change by any operation.
TEST(planned_counts, of_random_problems_whose_elements_change) {
  test::for_each_seed(test::is_slowed() ? 20 : 60, [](unsigned seed) {
    std::mt19937 generator(seed);
    auto const p = test::random_typed_problem(generator);
    int const shift = int(generator() % 4) * int(p.element_size.larger());
    for (auto const& way : candidates_of(canonical(p), aligned_to(shift))) compare_with_all_blocks(way.steps.front(), shift);
  });
}

INSTANTIATE_TEST_SUITE_P(arrays, planned_counts,
                         testing::Values(array_case{{8, 28, 28, 3}, {0, 3, 1, 2}, 1},     // split by few rows
                                         array_case{{3, 3, 40, 60}, {0, 2, 3, 1}, 2},     // joined
                                         array_case{{3, 3, 4099}, {0, 2, 1}, 1},          // rows that begin anywhere
                                         array_case{{3, 4099, 3}, {0, 2, 1}, 2, 2},       //
                                         array_case{{301, 423}, {1, 0}, 1},               // unaligned
                                         array_case{{7, 61, 2, 83}, {3, 0, 2, 1}, 1, 5},  // unaligned rows of several modes
                                         array_case{{150, 301}, {1, 0}, 2, 6},            //
                                         array_case{{3, 128, 160}, {0, 2, 1}, 4},         // small, and rungs in batches
                                         array_case{{2, 96, 112}, {0, 2, 1}, 1},          //
                                         array_case{{3, 45, 7, 37}, {2, 0, 3, 1}, 4, 4},  // gather
                                         array_case{{13, 5, 64, 20}, {2, 1, 3, 0}, 2},    //
                                         array_case{{11, 130, 13}, {2, 1, 0}, 8, 8},      //
                                         array_case{{31, 70, 17}, {1, 2, 0}, 16},         //
                                         array_case{{31, 33, 37}, {2, 0, 1}, 1, 1},       //
                                         array_case{{7, 11, 13, 17}, {3, 1, 2, 0}, 4, 12}));

}  // namespace
}  // namespace cornerturn
