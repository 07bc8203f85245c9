#include "cornerturn/explain.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cornerturn/error.hpp"
#include "engine/host/host.hpp"
#include "explain/instructions.hpp"
#include "launch/block_class.hpp"
#include "support/message.hpp"
#include "support/rungs.hpp"

namespace cornerturn {
namespace {

constexpr std::uintptr_t kOrigin = 1 << 20;

/// What one block of each kind adds up to, against all blocks of the launch.
void compare_with_all_blocks(rung_plan const& chosen, std::uintptr_t source, std::uintptr_t destination) {
  auto const grouped = instructions_of(host::record_launch(chosen, source, destination).blocks, kOrigin);
  recording every{.addresses_only = true, .accesses = {}};
  host::run(chosen, reinterpret_cast<void const*>(source), reinterpret_cast<void*>(destination), &every);
  auto all = instructions_of({{1, every}}, kOrigin);

  ASSERT_EQ(grouped.size(), all.size());
  for (auto const& each : grouped) {
    auto const same =
        std::ranges::find_if(all, [&](auto const& other) { return other.file == each.file && other.line == each.line; });
    ASSERT_NE(same, all.end());
    auto const counts = [](memory_instruction const& of) {
      return std::vector{of.requests,           of.active_lanes, of.sectors,     of.ideal_sectors,
                         of.partial_sectors,    of.half_lines,   of.lines,       of.wavefronts,
                         of.ideal_wavefronts,   of.bytes_needed, of.bytes_moved, of.warp_sectors,
                         std::int64_t(of.bytes)};
    };
    EXPECT_EQ(counts(each), counts(*same)) << describe(chosen) << ", " << name_of(each);
  }
}

class counted : public testing::TestWithParam<std::tuple<rung, int>> {};

TEST_P(counted, by_kinds_of_blocks_as_over_all_of_them) {
  auto const [kernel, size] = GetParam();
  struct matrix {
    std::int64_t rows, cols;
    int source_gap, destination_gap;
    int shift;  // of both buffers behind a line, in elements
  };
  for (auto const& [rows, cols, source_gap, destination_gap, shift] : {matrix{83, 163, 0, 0, 0},
                                                                       {272, 144, 0, 0, 0},
                                                                       {144, 272, 16, 32, 16},
                                                                       {65, 390, 3, 1, 1},
                                                                       {1, 500, 0, 0, 3},
                                                                       {300, 7, 2, 0, 0}}) {
    bool const straight = info_of(kernel).is_copy;
    job const shape{.rows = rows,
                    .cols = cols,
                    .source_pitch = cols + source_gap,
                    .destination_pitch = (straight ? cols : rows) + destination_gap};
    int const aligned = int(std::gcd(shift * size, 16));
    rung_plan chosen;
    try {
      chosen = plan_rung(kernel, shape, size, {aligned, aligned});
    } catch (error const&) {
      continue;  // TMA
    }
    compare_with_all_blocks(chosen, kOrigin + std::uintptr_t(shift * size), kOrigin + std::uintptr_t(shift * size));
  }
}

std::vector<rung> all_rungs() {
  std::vector<rung> ids;
  for (auto const& each : kRungs) ids.push_back(each.id);
  return ids;
}

INSTANTIATE_TEST_SUITE_P(rungs, counted, testing::Combine(testing::ValuesIn(all_rungs()), testing::Values(1, 4, 8)),
                         test::rung_test_name);

TEST(explain, groups_as_many_blocks_as_there_are) {
  for (auto const& [rows, cols] : {std::pair<std::int64_t, std::int64_t>{1'000'003, 999'983}, {4096, 4096}, {31, 33}}) {
    job const shape{.rows = rows, .cols = cols, .source_pitch = cols + 5, .destination_pitch = rows + 1};
    for (auto const kernel : {rung::naive_write, rung::vec_both}) {
      auto const chosen = plan_rung(kernel, shape, 2, {2, 2});
      std::int64_t total = 0;
      for (auto const& each : classes_of(chosen, array_addresses{})) {
        EXPECT_LT(each.index, chosen.blocks);
        total += each.count;
      }
      EXPECT_EQ(total, chosen.blocks);
    }
  }
}

TEST(explain, says_what_a_rung_does) {
  auto const each = explain("vec-conflict-read", {.rows = 256, .cols = 128});
  EXPECT_EQ(each.rung, "vec-conflict-read");
  EXPECT_EQ(each.unavailable, "");
  EXPECT_EQ(each.tile, "64x64");
  EXPECT_EQ(each.threads, 256);
  EXPECT_EQ(each.blocks, 8);
  EXPECT_EQ(each.classes, 1);
  ASSERT_EQ(each.instructions.size(), 4u);

  auto const& [load, shared_store, shared_load, store] =
      std::tie(each.instructions[0], each.instructions[1], each.instructions[2], each.instructions[3]);
  EXPECT_EQ(load.file, "smem.hpp");
  EXPECT_EQ(load.space, memory_space::global);
  EXPECT_FALSE(load.store);
  EXPECT_EQ(load.bytes, 16);
  EXPECT_EQ(load.requests, 256 * 128 / (32 * 4));
  EXPECT_EQ(load.sectors, 256 * 128 * 4 / 32);
  EXPECT_EQ(load.ideal_sectors, load.sectors);
  EXPECT_EQ(load.bytes_needed, 256 * 128 * 4);
  EXPECT_EQ(shared_store.wavefronts, 4 * shared_store.requests);
  EXPECT_EQ(shared_load.space, memory_space::shared);
  EXPECT_EQ(shared_load.wavefronts, 32 * shared_load.requests);
  EXPECT_EQ(shared_load.ways(), 32);
  EXPECT_EQ(shared_load.bytes_moved, 32 * shared_load.bytes_needed);
  EXPECT_EQ(store.requests, 256 * 128 / 32);

  ASSERT_FALSE(shared_load.samples.empty());
  auto const& sample = shared_load.samples.front();
  EXPECT_EQ(sample.wavefronts, 32);
  for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(sample.lanes[std::size_t(lane)].wavefront, lane);

  ASSERT_EQ(each.findings.size(), 1u);
  EXPECT_EQ(each.findings[0].kind, "stride-32");
  EXPECT_EQ(each.findings[0].instruction, 2);
  EXPECT_EQ(
      each.findings[0].text,
      fmt::format("shared load at smem.hpp:{}: 32-way bank conflict: lanes 0..31 all in bank 0, because their stride of 256 "
                  "bytes is a multiple of 128; pad the row by 4 bytes or swizzle",
                  shared_load.line));
}

/// The text of the finding of this kind, where there is one; else all kinds.
std::string only(explanation const& each, std::string_view kind) {
  std::string text, kinds;
  for (auto const& found : each.findings) {
    kinds += found.kind + " ";
    if (found.kind == kind) text += found.text;
  }
  return text.empty() ? kinds : text;
}

TEST(explain, does_not_advise_what_a_rung_does_already) {
  auto const gathers = [](std::string const& done, int rows) {
    return fmt::format(
        "; the tile is {} already, which separates consecutive rows; these lanes gather 16 bytes each and begin {} rows "
        "apart: transpose vectors in registers, as vec-both does",
        done, rows);
  };
  explain_options const bytes{.rows = 4000, .cols = 4008, .type = "u8"}, one_column{.rows = 5000, .cols = 1, .type = "u16"};
  for (auto const& [rung, options, advice] : {std::tuple("vec-swizzled", bytes, gathers("swizzled", 16)),
                                              {"vec-padded", bytes, gathers("padded", 16)},
                                              {"vec-swizzled", one_column, gathers("swizzled", 8)}}) {
    auto const text = only(explain(rung, options), "bank-conflict");
    EXPECT_TRUE(text.ends_with(advice)) << text;
    for (auto const& each : explain("vec-both", options).instructions) EXPECT_LT(each.ways(), 1.02) << each.line;
  }
  auto const edge = only(explain("vec-both", bytes), "bank-conflict");
  EXPECT_TRUE(edge.ends_with("; the tile is swizzled already, and these lanes meet only where the matrix ends within a tile"))
      << edge;
  auto const plain = only(explain("vec-conflict-read", {.rows = 4000, .cols = 4008, .type = "f32"}), "stride-32");
  EXPECT_TRUE(plain.ends_with("; pad the row by 4 bytes or swizzle")) << plain;
}

TEST(explain, says_how_far_apart_lanes_with_work_lie) {
  auto const text = only(
      explain("register", {.rows = 1, .cols = 5000, .type = "f64", .source_align = 16, .destination_align = 16}), "scattered");
  EXPECT_NE(text.find("the lanes' stride is 16 bytes"), std::string::npos) << text;
  auto const wide = explain("vec-both", {.rows = 5000, .cols = 1, .type = "c128", .source_align = 16, .destination_align = 16});
  EXPECT_EQ(only(wide, "scattered"), "straddling idle-lanes straddling ");
}

TEST(explain, follows_alignment_and_pitch) {
  auto const sectors = [](explain_options const& options) {
    auto const each = explain("naive-read", options);
    return double(each.instructions[0].sectors) / double(each.instructions[0].requests);
  };
  EXPECT_EQ(sectors({.rows = 64, .cols = 64}), 4);
  EXPECT_EQ(sectors({.rows = 64, .cols = 64, .source_align = 16}), 5);
  EXPECT_EQ(sectors({.rows = 64, .cols = 64, .source_align = 32}), 4);
  EXPECT_EQ(sectors({.rows = 64, .cols = 64, .source_pitch = 65}), 4.875);  // one row in eight begins with a sector
  EXPECT_EQ(explain("vec-both", {.rows = 64, .cols = 64}).instructions[0].bytes, 16);
  EXPECT_EQ(explain("vec-both", {.rows = 64, .cols = 64, .source_align = 8}).instructions[0].bytes, 4);
  EXPECT_EQ(explain("vec-both", {.rows = 64, .cols = 64, .source_pitch = 65}).instructions[0].bytes, 4);
}

TEST(explain, counts_matrices_that_no_memory_holds) {
  auto const each = explain("smem-padded", {.rows = 1 << 29, .cols = (1 << 29) - 3, .type = "f64"});
  EXPECT_EQ(each.instructions[0].bytes_needed, ((std::int64_t(1) << 29) - 3) << 32);
}

TEST(explain, says_why_a_rung_cannot_serve) {
  auto const each = explain("tma", {.rows = 64, .cols = 65});
  EXPECT_EQ(each.unavailable, "the source's pitch in bytes is 260; it must be a multiple of 16 below 2^40 for TMA");
  EXPECT_TRUE(each.instructions.empty());
}

TEST(explain, knows_every_rung_and_tile) {
  auto const all = explain_all({.rows = 512, .cols = 512});
  ASSERT_EQ(all.size(), kRungs.size());
  for (auto const& each : all) {
    EXPECT_GT(each.predicted, 0) << each.rung;
    EXPECT_LT(each.predicted, 1.1) << each.rung;
    for (auto const& tile : each.tiles) {
      auto const elements = std::size_t(tile.rows * tile.cols);
      EXPECT_EQ(tile.offsets.size(), elements) << each.rung;
      EXPECT_EQ(tile.threads.size(), elements) << each.rung;
      auto const moved = std::ranges::count_if(tile.threads, [](int thread) { return thread >= 0; });
      EXPECT_EQ(std::size_t(moved), each.rung == "copy-tma" ? 0 : elements) << each.rung;
    }
  }
}

void expect_refused(std::string_view rung, explain_options const& options, std::string_view message) {
  EXPECT_EQ(test::message_of([&] { explain(rung, options); }), message);
}

TEST(explain, refuses_what_makes_no_matrix) {
  expect_refused("vec-both", {.rows = 0}, "rows is 0; it must be 1 or more");
  expect_refused("vec-both", {.cols = -1}, "cols is -1; it must be 1 or more");
  expect_refused("vec-both", {.source_pitch = 4095}, "source_pitch is 4095; it must be at least the row's 4096 elements");
  expect_refused("vec-both", {.rows = 8, .destination_pitch = 7},
                 "destination_pitch is 7; it must be at least the row's 8 elements");
  expect_refused("vec-both", {.source_align = 2},
                 "source_align is 2; it must be a power of two from the element size, 4, to 256");
  expect_refused("vec-both", {.destination_align = 512},
                 "destination_align is 512; it must be a power of two from the element size, 4, to 256");
  expect_refused("vec-both", {.rows = std::int64_t(1) << 40, .cols = std::int64_t(1) << 40},
                 "rows x source_pitch is 1099511627776 x 1099511627776; it must be at most 2^62 bytes");
  EXPECT_THROW(explain("vec-none"), error);
  EXPECT_THROW(explain("vec-both", {.type = "f31"}), error);
}

}  // namespace
}  // namespace cornerturn
