#include "cpu/tiles/tiles.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cpu/machine.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"
#include "support/check.hpp"
#include "support/check_tiles.hpp"
#include "support/guarded.hpp"
#include "support/plain.hpp"
#include "support/random_problem.hpp"
#include "support/run_on_cpu.hpp"
#include "support/seeds.hpp"
#include "support/slowed.hpp"
#include "support/targets.hpp"

namespace cornerturn {
namespace {

/// Hints of results that stay in the caches, are written past them, and are written past them without an image.
constexpr cpu_tile_hint kWays[] = {{.tile = 64 << 10, .streamed_above = test::kNeverStreams},
                                   {.tile = 64 << 10, .streamed_above = 0},
                                   {.tile = 64 << 10, .streamed_above = 0, .direct = true}};

/// Bytes of elements.
std::vector<std::int64_t> const kSizes =
    test::is_slowed() ? std::vector<std::int64_t>{1, 4, 12} : std::vector<std::int64_t>{1, 2, 4, 8, 16, 3, 12};

class cpu_tiles : public test::on_each_target {};

TEST_P(cpu_tiles, are_moved_by_the_instructions_asked_for) { EXPECT_EQ(cpu::instructions(), hwy::TargetName(GetParam())); }

TEST_P(cpu_tiles, follow_the_definition_on_random_problems) {
  test::for_each_seed(1500, [](unsigned seed) {
    std::mt19937 generator(seed);
    auto const draw = [&](auto const&... options) {
      std::int64_t const all[] = {options...};
      return all[generator() % sizeof...(options)];
    };
    auto const extent = draw(3, 5, 9, 20, 70, 300);
    auto const p = test::random_problem(seed, {.rank = extent < 9 ? 7 : extent < 70 ? 4 : 2, .extent = extent});
    if (destination_range(p).high > 3'000'000 || source_range(p).high > 3'000'000) return;
    if (destination_range(p) == byte_range{}) return;
    auto const plan = plan_cpu(canonical(p), {.tile = draw(256 << 10, 256 << 10, 5000),
                                              .columns = draw(2048, 2048, 40),
                                              .run = draw(0, 256),
                                              .staged = draw(1, 2),
                                              .streamed_above = draw(0, test::kNeverStreams),
                                              .fields = draw(4, 16),
                                              .direct = draw(0, 1) == 1,
                                              .along_source = draw(0, 0, 0, 1) == 1});
    test::check_tiles(p, plan, int(draw(1, 1, 2, 5)), draw(0, 1) ? test::guarded::beside::first : test::guarded::beside::last);
  });
}

TEST_P(cpu_tiles, are_cut_from_large_matrices_anywhere) {
  for (std::int64_t const size : kSizes)
    for (auto const& [rows, columns] :
         {std::pair{519, 515}, {512, 512}, {3, 30'001}, {30'001, 3}, {30'016, 3}, {50, 7011}, {7011, 50}, {7040, 50}})
      for (cpu_tile_hint const& hint : kWays) {
        auto p = permutation(std::vector<std::int64_t>{rows, columns}, {}, std::vector<std::int64_t>{1, 0}, size);
        for (bool const mirrored : {false, true}) {
          if (mirrored) std::ranges::find(p.modes, 1, &mode::source_stride)->source_stride = -1, p.source_offset = columns - 1;
          test::check_tiles(p, plan_cpu(canonical(p), hint), 3, test::guarded::beside::last);
        }
      }
}

/// Columns have gaps between them, and run either way.
TEST_P(cpu_tiles, are_cut_from_every_few_columns) {
  int apart = 0;
  for (std::int64_t const size : kSizes)
    for (std::int64_t const step : {2, 3, 7})
      for (auto const& [rows, columns] : {std::pair{263, 259}, {8001, 3}, {50, 2011}})
        for (cpu_tile_hint const& hint : kWays)
          for (bool const mirrored : {false, true}) {
            problem const p{.modes = {{columns, mirrored ? -step : step, rows}, {rows, columns * step, 1}},
                            .element_size = size,
                            .source_offset = mirrored ? (columns - 1) * step : 0};
            auto const plan = plan_cpu(canonical(p), hint);
            apart += plan.load.has_gaps;
            test::check_tiles(p, plan, 3, test::guarded::beside::last);
          }
  EXPECT_GT(apart, test::is_slowed() ? 80 : 200);
}

/// Squares whose columns begin with a cache line, 2 to 4 rows or columns, and long units go to their places without an image. The
/// arrays begin at a page or end at one, so that cache lines begin at different elements.
TEST_P(cpu_tiles, may_do_without_an_image) {
  using numbers = std::vector<std::int64_t>;
  std::pair<numbers, numbers> const cases[] = {{{512, 200}, {1, 0}},       {{500, 2, 128}, {2, 1, 0}}, {{128, 3, 70}, {2, 1, 0}},
                                               {{64, 6, 700}, {1, 2, 0}},  {{7040, 2}, {1, 0}},        {{5, 1024, 4}, {0, 2, 1}},
                                               {{2, 3001}, {1, 0}},        {{7, 3, 1201}, {0, 2, 1}},  {{4, 2000}, {1, 0}},
                                               {{30, 20, 128}, {1, 0, 2}}, {{9, 8, 1500}, {1, 0, 2}},  {{330, 5, 192}, {2, 1, 0}},
                                               {{64, 5000}, {1, 0}}};
  std::map<cpu_strategy, int> seen;
  for (auto const& [shape, axes] : cases)
    for (std::int64_t const size : {1, 2, 4, 8, 16})
      for (std::int64_t const off : {0, 16, 48}) {
        auto p = permutation(shape, {}, axes, size);
        p.destination_offset = off / size;
        auto const plan =
            plan_cpu(canonical(p), {.tile = shape[1] == 5000 ? 600'000 : 30'000, .streamed_above = 0, .direct = true});
        ++seen[plan.strategy];
        for (auto const where : {test::guarded::beside::first, test::guarded::beside::last}) test::check_tiles(p, plan, 3, where);
      }
  EXPECT_GE(seen[cpu_strategy::transpose_nt], 15);
  EXPECT_GE(seen[cpu_strategy::deinterleave_nt], 12);
  EXPECT_GE(seen[cpu_strategy::interleave_nt], 12);
  EXPECT_GE(seen[cpu_strategy::copy_nt], 10);
}

/// 5 to 16 rows or columns are interleaved or deinterleaved, past the caches or not, also in batches. Without AVX512-VBMI these
/// plans are slower.
TEST_P(cpu_tiles, interleave_many_fields) {
  std::map<cpu_strategy, int> seen;
  for (std::int64_t fields = 5; fields <= 17; ++fields)
    for (std::int64_t const size : {1, 2, 4, 8})
      for (std::int64_t const count : {41, 64, 3001, 9024})
        for (cpu_tile_hint hint : kWays) {
          hint.fields = 16, hint.limits = cpu::usual_limits(), hint.limits.line_vectors = true;
          std::int64_t const batch = count == 41 ? 3 : 1;
          for (auto const& shape : {std::vector<std::int64_t>{batch, count, fields}, {batch, fields, count}}) {
            auto p = permutation(shape, {}, std::vector<std::int64_t>{0, 2, 1}, size);
            p.destination_offset = fields % 3 * 8 / size;
            auto const plan = plan_cpu(canonical(p), hint);
            ++seen[plan.strategy];
            test::check_tiles(p, plan, 2, fields % 2 ? test::guarded::beside::first : test::guarded::beside::last);
          }
        }
  EXPECT_GE(seen[cpu_strategy::deinterleave_nt], 40);
  EXPECT_GE(seen[cpu_strategy::interleave_nt], 40);
}

/// Columns begin anywhere within cache lines and go on from tile to tile. Rows lie whole pages apart or not.
TEST_P(cpu_tiles, continue_columns_without_an_image) {
  std::map<std::string, int> seen;
  test::for_each_seed(150, [&](unsigned seed) {
    std::mt19937 generator(seed);
    auto const draw = [&](std::int64_t least, std::int64_t most) {
      return std::uniform_int_distribution<std::int64_t>(least, most)(generator);
    };
    std::int64_t const size = draw(0, 3) ? 1 << draw(0, 4) : 64 * draw(1, 20), line = std::max<std::int64_t>(1, 64 / size);
    std::int64_t const rows = draw(4, 40) * line + draw(0, 3) * draw(0, line),
                       columns = draw(std::max<std::int64_t>(2, line), std::min<std::int64_t>(300, 5 * line));
    std::int64_t const pitch = draw(0, 3) ? columns * size + draw(0, 1) : 4096 * draw(1, 2) + draw(-3, 3);
    if (pitch < columns * size) return;
    std::int64_t const apart = rows * size + (draw(0, 1) ? draw(0, 70) : -rows * size & 63);
    problem const p{.modes = {{columns, size, apart}, {rows, pitch, size}, {size, 1, 1}},
                    .element_size = 1,
                    .destination_offset = draw(0, 1) ? 0 : draw(0, 64)};
    cpu_limits const limits{.line_vectors = seed % 2 == 0};
    auto const plan =
        plan_cpu(canonical(p), {.tile = draw(1, 4) * 20'000, .streamed_above = 0, .direct = true, .limits = limits});
    if (plan.strategy == cpu_strategy::copy_nt) ++seen["units"];
    if (plan.strategy == cpu_strategy::transpose_nt) ++seen["squares"];
    if (plan.strategy == cpu_strategy::transpose_nt && plan.load.prefetch_distance) ++seen["ahead"];
    if (plan.strategy == cpu_strategy::transpose_nt && plan.tile.cut_rows.loop >= 0) ++seen["cut"];
    if (plan.joins_columns()) ++seen["joined"];
    test::check_tiles(p, plan, int(draw(1, 4)), draw(0, 1) ? test::guarded::beside::first : test::guarded::beside::last);
  });
  if (testing::Test::HasFailure() || std::getenv("CORNERTURN_SEED")) return;
  EXPECT_GE(seen["squares"], 60);
  EXPECT_GE(seen["units"], 20);
  EXPECT_GE(seen["ahead"], 5);
  EXPECT_GE(seen["cut"], 10);
  EXPECT_GE(seen["joined"], 5);
}

/// A thread that goes on with the columns of its last tile keeps the parts of their lines.
TEST_P(cpu_tiles, are_asked_for_as_long_as_columns_go_on) {
  auto const p = permutation(std::vector<std::int64_t>{1003, 203}, {}, std::vector<std::int64_t>{1, 0}, 4);
  auto const plan = plan_cpu(canonical(p), {.tile = 30'000, .streamed_above = 0, .direct = true});
  ASSERT_EQ(plan.strategy, cpu_strategy::transpose_nt) << describe(plan);
  auto const rows = plan.loops.back().count;
  ASSERT_GT(rows, 2) << describe(plan);
  std::vector<std::byte> const source(1003 * 203 * 4);
  std::vector<std::byte> result(source.size());
  test::guarded const image(std::size_t(plan.image_bytes()), test::guarded::beside::last);
  std::int64_t asked = 0;
  cpu::shared_tiles::extension const extend = [&](std::int64_t end) { return ++asked, end + 1; };
  cpu::move_tiles(
      plan,
      {.source = source.data(), .destination = result.data(), .first = 0, .end = 1, .image = image.data(), .extend = &extend});
  EXPECT_EQ(asked, rows - 1);
}

/// Small modes change places; elements have odd sizes, or lie apart or backwards in the source.
TEST_P(cpu_tiles, are_shuffled) {
  using numbers = std::vector<std::int64_t>;
  std::vector<problem> problems;
  for (std::int64_t const size : {1, 2, 3, 4, 5, 6, 7, 8, 12, 20, 24, 40}) {
    problems.push_back(permutation(numbers{151, 157}, {}, numbers{1, 0}, size));
    problems.push_back(permutation(numbers{1000, 2, 3}, {}, numbers{0, 2, 1}, size));
    problems.push_back(permutation(numbers(12, 2), {}, numbers{1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10}, size));
    for (std::int64_t const few : {5, 6, 7}) {
      problems.push_back(permutation(numbers{1999, few}, {}, numbers{1, 0}, size));
      problems.push_back(permutation(numbers{few, 1999}, {}, numbers{1, 0}, size));
    }
    problems.push_back({.modes = {{30'000 / size, 3, 1}}, .element_size = size});
    problems.push_back({.modes = {{99, 331, 331}, {331, -1, 1}}, .element_size = size, .source_offset = 330});
    problems.push_back({.modes = {{99, 5000, 331}, {331, 0, 1}}, .element_size = size});
    problems.push_back({.modes = {{30'000 / size, -1, 1}}, .element_size = size, .source_offset = 30'000 / size - 1});
  }
  int shuffled = 0;
  for (auto const& p : problems)
    for (auto const where : {test::guarded::beside::first, test::guarded::beside::last})
      for (std::int64_t const tile : {256 << 10, 3000}) {
        auto const plan = plan_cpu(canonical(p), {.tile = tile, .streamed_above = tile < 10'000 ? 0 : test::kNeverStreams});
        test::check_tiles(p, plan, 3, where);
        shuffled += plan.shuffle.units > 0;
      }
  EXPECT_GT(shuffled, int(problems.size()) * 5 / 2);
}

/// The same small modes are among the first ones of both sides; the runs of one side are short without those of the other.
TEST_P(cpu_tiles, share_modes) {
  using numbers = std::vector<std::int64_t>;
  int shared = 0, cut = 0, grouped = 0;
  for (std::int64_t const size : {1, 2, 3, 4, 5, 8, 12, 16, 24, 80})
    for (auto const& [shape, axes] : {std::pair{numbers{3, 3, 2, 40, 2}, numbers{1, 2, 3, 4, 0}},
                                      {numbers{2, 5, 2, 37, 3, 2}, numbers{1, 4, 3, 0, 5, 2}},
                                      {numbers{11, 5, 301, 2}, numbers{1, 2, 3, 0}},
                                      {numbers{700, 2, 3, 2, 11, 3}, numbers{5, 4, 3, 0, 2, 1}},
                                      {numbers{2, 90, 4, 6, 7}, numbers{4, 0, 2, 1, 3}},
                                      {numbers{5, 7, 9, 12, 5}, numbers{0, 4, 2, 1, 3}}})
      for (auto const where : {test::guarded::beside::first, test::guarded::beside::last})
        for (std::int64_t const tile : {256 << 10, 3000}) {
          auto const p = canonical(permutation(shape, {}, axes, size));
          auto const plan =
              plan_cpu(p, {.tile = tile, .streamed_above = tile < 10'000 ? 0 : test::kNeverStreams, .prefetches = true});
          test::check_tiles(p, plan, 3, where);
          if (testing::Test::HasFatalFailure()) return;
          shared += plan.load.shared_modes;
          cut += plan.load.shared_modes && plan.tile.cut_columns.loop >= 0;
          grouped += plan.strategy == cpu_strategy::gather && plan.load.adjacent > 1;
        }
  EXPECT_GT(shared, 20);
  EXPECT_GT(cut, 0);
  EXPECT_GT(grouped, 8);
}

/// Each row ends at a page, and the page behind it must not be touched.
TEST_P(cpu_tiles, do_not_read_behind_rows_that_lie_apart) {
  constexpr std::int64_t kPage = 4096, kRows = 40;
  for (std::int64_t const size : {1, 2, 3, 4, 5, 8, 12, 16})
    for (std::int64_t const columns : {1, 2, 3, 5, 9, 17, 70, 200}) {
      test::guarded const memory(std::size_t(2 * kPage * kRows), test::guarded::beside::first);
      std::vector<std::byte> result(std::size_t(kRows * columns * size)), expected(result.size());
      for (std::int64_t i = 0; i < kRows; ++i) {
        auto* const page = memory.data() + 2 * kPage * i;
        for (std::int64_t k = 0; k < kPage; ++k) page[k] = static_cast<std::byte>(i + 3 * k);
        for (std::int64_t j = 0; j < columns; ++j)
          std::copy_n(page + kPage - (columns - j) * size, size, expected.data() + (j * kRows + i) * size);
        ASSERT_EQ(mprotect(page + kPage, kPage, PROT_NONE), 0);
      }
      problem const p{.modes = {{columns, size, kRows * size}, {kRows, 2 * kPage, size}, {size, 1, 1}}, .element_size = 1};
      test::run_on_cpu(canonical(p), memory.data() + kPage - columns * size, result.data());
      EXPECT_TRUE(result == expected) << to_string(p);

      problem const last{.modes = {{kRows, 2 * kPage, columns * size}, {columns, 0, size}, {size, 1, 1}}, .element_size = 1};
      for (std::int64_t i = 0; i < kRows * columns; ++i)
        std::copy_n(memory.data() + 2 * kPage * (i / columns) + kPage - size, size, expected.data() + i * size);
      test::run_on_cpu(canonical(last), memory.data() + kPage - size, result.data());
      EXPECT_TRUE(result == expected) << to_string(last);
    }
}

/// Every second page must not be touched.
TEST_P(cpu_tiles, do_not_read_pages_between_rows) {
  constexpr std::int64_t kPage = 4096, kRows = 64;
  test::guarded const memory(std::size_t(2 * kPage * kRows), test::guarded::beside::first);
  for (std::int64_t i = 0; i < 2 * kPage * kRows; ++i) memory.data()[i] = static_cast<std::byte>(i + i / kPage);
  for (std::int64_t i = 0; i < kRows; ++i) ASSERT_EQ(mprotect(memory.data() + (2 * i + 1) * kPage, kPage, PROT_NONE), 0);
  for (std::int64_t times = 2; times <= 20; ++times) {
    problem const p{.modes = {{kRows, 2 * kPage, kPage * times}, {kPage, 1, times}, {times, 0, 1}}, .element_size = 1};
    std::vector<std::byte> result(std::size_t(kRows * kPage * times)), expected(result.size());
    test::permute_plainly(p, memory.data(), expected.data());
    test::run_on_cpu(canonical(p), memory.data(), result.data());
    EXPECT_TRUE(result == expected) << to_string(p);
  }
}

/// Pieces that begin or end at a page are permuted, and their modes run either way. The pages between them must not be touched.
TEST_P(cpu_tiles, do_not_read_beside_parts_of_something_wider) {
  constexpr std::int64_t kPage = 4096;
  test::for_each_seed(test::is_slowed() ? 400 : 1500, [&](unsigned seed) {
    std::mt19937 generator(seed);
    auto const draw = [&](std::int64_t least, std::int64_t most) {
      return std::uniform_int_distribution<std::int64_t>(least, most)(generator);
    };
    std::int64_t const pages = draw(1, 3), rows = draw(2, 20), size = draw(1, 5);
    problem p{.modes = {{rows, (pages + 1) * kPage, 0}}, .element_size = 1};
    std::int64_t bytes = 1;
    for (std::int64_t extent : {size, draw(1, 9), draw(1, 20), draw(1, 4000)}) {
      extent = std::min(extent, pages * kPage / bytes);
      p.modes.push_back({extent, bytes, 0});
      bytes *= extent;
    }
    test::guarded const memory(std::size_t(rows * (pages + 1) * kPage), test::guarded::beside::first);
    for (std::int64_t i = 0; i < rows * (pages + 1) * kPage; ++i) memory.data()[i] = static_cast<std::byte>(i * 31 + i / 256);
    p.source_offset = draw(0, 1) ? 0 : pages * kPage - bytes;
    std::shuffle(p.modes.begin() + draw(0, 1), p.modes.end(), generator);
    std::int64_t all = 1;
    for (mode& m : p.modes) {
      m.destination_stride = std::exchange(all, all * m.extent);
      if (draw(0, 2)) continue;
      p.source_offset += (m.extent - 1) * m.source_stride;
      m.source_stride = -m.source_stride;
    }
    std::vector<std::byte> expected(std::size_t(all), std::byte{});
    test::permute_plainly(p, memory.data(), expected.data());
    for (std::int64_t i = 1; i <= rows; ++i)
      ASSERT_EQ(mprotect(memory.data() + (i * (pages + 1) - 1) * kPage, kPage, PROT_NONE), 0);
    auto const plan = plan_cpu(canonical(p), {.tile = draw(0, 1) ? 256 << 10 : 5000});
    std::vector<std::byte> result(expected.size());
    cpu::run(plan, memory.data(), result.data());
    ASSERT_TRUE(result == expected) << to_string(p) << " by " << describe(plan);
  });
}

/// Rows of elements, units of whole blocks and long units are also small tiles of a batch, and lie between gaps.
TEST_P(cpu_tiles, need_no_image_in_the_caches) {
  auto const check_all = [](problem const& p) {
    for (auto const where : {test::guarded::beside::first, test::guarded::beside::last})
      test::check_tiles(p, plan_cpu(canonical(p)), 1, where, false);
  };
  for (std::int64_t const width : {65, 100, 256, 1000})
    check_all({.modes = {{30, 2 * width, width}, {width, 1, 1}}, .element_size = 1});
  for (int const size : {1, 2, 4, 8})
    for (auto const& [rows, columns] :
         std::vector<std::pair<std::int64_t, std::int64_t>>{{16, 16}, {37, 90}, {90, 37}, {130, 129}}) {
      check_all({.modes = {{rows, columns + 3, 1}, {columns, 1, rows + 5}}, .element_size = size});
      check_all({.modes = {{3, rows * columns, rows * columns}, {rows, columns, 1}, {columns, 1, rows}}, .element_size = size});
    }
  for (std::int64_t const blocks : {1, 2, 3, 5, 7, 8, 9, 64})
    for (std::int64_t const gap : {0, 1})
      check_all({.modes = {{20, (12 + gap) * blocks, (12 + gap) * blocks},
                           {3, 4 * blocks, blocks},
                           {4, blocks, 3 * blocks},
                           {blocks, 1, 1}},
                 .element_size = 16});
}

/// Rows and columns have many cache lines. They begin anywhere in a line, and lie whole lines apart or not.
TEST_P(cpu_tiles, are_transposed_by_squares_in_the_caches) {
  for (std::int64_t const size : {1, 2, 4, 8, 16})
    for (std::int64_t const off : {0, 1, 16, 48})
      for (auto const& [rows, columns] : {std::pair{8, 8}, {9, 10}, {1, 11}, {17, 1}})
        for (std::int64_t const odd : {0, 3}) {
          auto const line = 64 / size;
          auto p = permutation(std::vector{rows * line + odd, columns * line + odd}, {}, std::vector<std::int64_t>{1, 0}, size);
          p.source_offset = off / size, p.destination_offset = (48 - off + 15) / size;
          auto const where = odd ? test::guarded::beside::first : test::guarded::beside::last;
          test::check_tiles(p, plan_cpu(canonical(p)), 1, where, false);
          test::check_tiles(p, plan_cpu(canonical(p), {.tile = 16 << 10, .columns = 200}), 2, where);
        }
}

TEST_P(cpu_tiles, are_written_in_runs_shorter_than_a_line) {
  problem const p{
      .modes = {{127, -1, -81}, {81, -129, -1}}, .element_size = 16, .source_offset = 10446, .destination_offset = 10286};
  auto const plan = plan_cpu(canonical(p), {.tile = 5000, .streamed_above = 0});
  ASSERT_LT(plan.tile.column_bytes(), 64) << describe(plan);
  for (auto const where : {test::guarded::beside::first, test::guarded::beside::last}) test::check_tiles(p, plan, 5, where);
}

TEST_P(cpu_tiles, move_every_case_of_the_table) {
  for (int const size : {1, 2, 3, 4, 8, 12, 16}) {
    test::mover const move = [&](job const& shape, test::case_memory const& memory) {
      problem const given{.modes = {{shape.batch, shape.source_batch_stride, shape.destination_batch_stride},
                                    {shape.rows, shape.source_pitch, 1},
                                    {shape.cols, 1, shape.destination_pitch}},
                          .element_size = size};
      test::run_on_cpu(canonical(given), memory.source.data() + memory.source_at,
                       memory.destination.data() + memory.destination_at);
    };
    for (auto const& each : test::transpose_cases()) ASSERT_EQ(test::check_transpose(each, size, move), "");
  }
}

INSTANTIATE_TEST_SUITE_P(instructions, cpu_tiles, testing::ValuesIn(test::cpu_targets()), test::target_name);

}  // namespace
}  // namespace cornerturn
