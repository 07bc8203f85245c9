#include "cpu/tiles/plan.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "problem/canonical.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {
namespace {

using numbers = std::vector<std::int64_t>;

std::string tiles(numbers const& shape, numbers const& axes, std::int64_t size) {
  return describe(plan_cpu(canonical(permutation(shape, {}, axes, size))));
}

TEST(cpu_plan, cuts_matrices_into_tiles_that_fit_the_cache) {
  EXPECT_EQ(tiles({8192, 8192}, {1, 0}, 4), "transpose_image in tiles of 32 x 2048 units of 4 bytes, with non-temporal stores");
  EXPECT_EQ(tiles({16384, 8192}, {1, 0}, 1), "transpose_staged in tiles of 128 x 2048 units of 1 byte, with non-temporal stores");
  EXPECT_EQ(tiles({8192, 8192}, {1, 0}, 16), "transpose_image in tiles of 16 x 1024 units of 16 bytes, with non-temporal stores");
}

TEST(cpu_plan, has_shorter_rows_of_smaller_results_none_much_longer_than_others) {
  for (std::int64_t const extent : {2048, 3072, 4096})
    EXPECT_EQ(tiles({extent, extent}, {1, 0}, 4),
              "transpose_image in tiles of 64 x 1024 units of 4 bytes, with non-temporal stores");
  EXPECT_EQ(tiles({8192, 3072}, {1, 0}, 4), "transpose_image in tiles of 32 x 1536 units of 4 bytes, with non-temporal stores");
  EXPECT_EQ(tiles({8192, 2560}, {1, 0}, 4), "transpose_image in tiles of 32 x 2560 units of 4 bytes, with non-temporal stores");
}

TEST(cpu_plan, divides_results_in_the_caches_among_many_threads) {
  EXPECT_EQ(tiles({512, 512}, {1, 0}, 4), "transpose_cached in tiles of 256 x 64 units of 4 bytes");
  EXPECT_EQ(tiles({1024, 1024}, {1, 0}, 4), "transpose_cached in tiles of 256 x 64 units of 4 bytes");
  EXPECT_EQ(tiles({512, 512}, {1, 0}, 16), "transpose_cached in tiles of 128 x 32 units of 16 bytes");
  EXPECT_EQ(tiles({250, 250}, {1, 0}, 4), "transpose_cached in tiles of 250 x 250 units of 4 bytes");  // of one thread
}

TEST(cpu_plan, prefers_images_if_rows_share_too_few_sets) {
  auto const tiles_of_xeon = [](numbers const& shape, std::int64_t size) {
    return plan_cpu(canonical(permutation(shape, {}, numbers{1, 0}, size)), xeon_tiles({}));
  };
  EXPECT_EQ(tiles_of_xeon({16384, 16384}, 1).strategy, cpu_strategy::transpose_staged);
  EXPECT_EQ(tiles_of_xeon({8192, 8192}, 1).strategy, cpu_strategy::transpose_nt);
  for (auto const& [side, ahead] : {std::pair{16384, 256}, {8192, 256}, {8208, 0}}) {
    auto const plan = tiles_of_xeon({side, side}, 4);
    EXPECT_EQ(plan.strategy, cpu_strategy::transpose_nt) << side;
    EXPECT_EQ(plan.load.prefetch_distance, ahead) << side;
  }
}

TEST(cpu_plan, has_long_columns_of_small_elements_in_large_results) {
  auto const tiles_of_xeon = [](numbers const& shape, std::int64_t size) {
    return describe(plan_cpu(canonical(permutation(shape, {}, numbers{1, 0}, size)), xeon_tiles({})));
  };
  EXPECT_EQ(tiles_of_xeon({16381, 16389}, 1), "transpose_nt in tiles of 1024 x 1824 units of 1 byte, with non-temporal stores");
  EXPECT_EQ(tiles_of_xeon({16381, 16389}, 2), "transpose_nt in tiles of 512 x 1824 units of 2 bytes, with non-temporal stores");
  EXPECT_EQ(tiles_of_xeon({16381, 16389}, 4), "transpose_nt in tiles of 128 x 976 units of 4 bytes, with non-temporal stores")
      << "as in any result";
  EXPECT_EQ(tiles_of_xeon({16384, 16384}, 1), "transpose_staged in tiles of 256 x 4096 units of 1 byte, with non-temporal stores")
      << "rows are whole pages apart";
  EXPECT_EQ(tiles_of_xeon({7001, 8001}, 1), "transpose_nt in tiles of 512 x 1008 units of 1 byte, with non-temporal stores")
      << "as in any result of 53 MiB";
}

TEST(cpu_plan, has_few_columns_that_end_within_a_line) {
  auto const tiles_of_xeon = [](numbers const& shape, numbers const& axes, std::int64_t size) {
    return describe(plan_cpu(canonical(permutation(shape, {}, axes, size)), xeon_tiles({})));
  };
  EXPECT_EQ(tiles_of_xeon({64, 512, 1024}, {2, 1, 0}, 4),
            "transpose_nt in tiles of 128 x 1024 units of 4 bytes, with non-temporal stores");
  EXPECT_EQ(tiles_of_xeon({100, 300, 2200}, {2, 1, 0}, 4),
            "transpose_nt in tiles of 400 x 736 units of 4 bytes, with non-temporal stores");
  EXPECT_EQ(tiles_of_xeon({1024, 100, 512}, {0, 2, 1}, 4),
            "transpose_image in tiles of 100 x 256 units of 4 bytes, with non-temporal stores");
  EXPECT_EQ(tiles_of_xeon({1024, 64, 512}, {0, 2, 1}, 4),
            "transpose_nt in tiles of 64 x 512 units of 4 bytes, with non-temporal stores")
      << "whole lines, if the first one is";
}

TEST(cpu_plan, has_two_lines_of_rows_in_the_last_tile_of_columns_unless_vectors_are_lines) {
  auto const rows_of = [](std::int64_t side, std::int64_t size, bool line_vectors) {
    auto const plan = plan_cpu(canonical(permutation(numbers{side, side}, {}, numbers{1, 0}, size)),
                               avx2_tiles({.line_vectors = line_vectors}));
    return std::pair(plan.tile.rows, plan.tile.cut_rows.last);
  };
  EXPECT_EQ(rows_of(8195, 2, true), std::pair(std::int64_t(128), std::int64_t(3)));
  EXPECT_EQ(rows_of(8195, 2, false), std::pair(std::int64_t(192), std::int64_t(131)));
  EXPECT_EQ(rows_of(8192, 2, false), std::pair(std::int64_t(128), std::int64_t(128)));
  EXPECT_EQ(rows_of(4099, 8, false).second * 8, 128 + 3 * 8);
}

TEST(cpu_plan, writes_short_columns_that_follow_one_another_as_one_run_unless_vectors_are_lines) {
  auto const plan_of = [](numbers const& shape, numbers const& axes, bool line_vectors) {
    return plan_cpu(canonical(permutation(shape, {}, axes, 4)), avx2_tiles({.line_vectors = line_vectors}));
  };
  numbers const axes{2, 0, 4, 1, 5, 3};
  auto const groups = plan_of({15, 15, 15, 32, 5, 112}, axes, false);
  EXPECT_EQ(groups.store.adjacent, 112);
  EXPECT_TRUE(groups.writes_groups()) << describe(groups);
  EXPECT_EQ(groups.pitch(), groups.tile.column_bytes());
  EXPECT_FALSE(plan_of({15, 15, 15, 32, 5, 112}, axes, true).writes_groups());
  auto const joined = plan_of({15, 15, 15, 112, 5, 32}, axes, false);
  EXPECT_EQ(joined.store.adjacent, 32);
  EXPECT_TRUE(joined.joins_columns()) << describe(joined);
  EXPECT_FALSE(plan_of({15, 15, 15, 112, 5, 32}, axes, true).joins_columns());
  auto const apart = plan_of({8192, 8192}, {1, 0}, false);
  EXPECT_EQ(apart.store.adjacent, 1) << describe(apart);
}

TEST(cpu_plan, transposes_mirrored_matrices_as_it_does_others) {
  auto const mirrored = [](std::int64_t rows, std::int64_t source, std::int64_t destination) {
    return describe(
        plan_cpu(canonical({.modes = {{rows, source * 8192, 1}, {8192, -1, destination * rows}}, .element_size = 4})));
  };
  for (std::int64_t const source : {1, -1})
    for (std::int64_t const destination : {1, -1}) EXPECT_EQ(mirrored(8192, source, destination), tiles({8192, 8192}, {1, 0}, 4));
  EXPECT_EQ(mirrored(23, 1, 1), "copy_units in tiles of 4025 x 1 units of 4 bytes");
}

TEST(cpu_plan, gives_the_room_of_a_short_side_to_the_other) {
  EXPECT_EQ(tiles({1'000'000, 3}, {1, 0}, 2), "transpose_image in tiles of 2736 x 3 units of 2 bytes, with non-temporal stores");
  EXPECT_EQ(tiles({3, 1'000'000}, {1, 0}, 4), "transpose_image in tiles of 3 x 21744 units of 4 bytes, with non-temporal stores");
}

TEST(cpu_plan, leaves_columns_the_modes_that_make_them_long) {
  auto const on_zen = [](numbers const& shape, numbers const& axes, std::int64_t size) {
    return describe(plan_cpu(canonical(permutation(shape, {}, axes, size)), {.columns = 4096, .row = 8 << 10, .run = 256}));
  };
  EXPECT_EQ(on_zen({149, 2, 109, 2}, {3, 2, 0, 1}, 2), "transpose_image in tiles of 112 x 218 units of 2 bytes");
  EXPECT_EQ(on_zen({107, 7, 311, 2}, {3, 1, 2, 0}, 1), "transpose_image in tiles of 107 x 152 units of 1 byte");
  EXPECT_EQ(tiles({2, 19, 2, 21, 1926, 14, 3}, {2, 1, 6, 0, 3, 5, 4}, 1),
            "transpose_staged in tiles of 400 x 42 units of 1 byte, with non-temporal stores");
}

TEST(cpu_plan, spans_modes_that_follow_each_other) {
  EXPECT_EQ(tiles({15, 15, 32, 15, 32, 16}, {4, 1, 0, 3, 2, 5}, 4),
            "transpose_image in tiles of 8 x 480 units of 64 bytes, with non-temporal stores");
  EXPECT_EQ(tiles({7, 9, 11, 13}, {3, 2, 1, 0}, 4), "transpose_image in tiles of 35 x 143 units of 4 bytes");
}

TEST(cpu_plan, has_small_tiles_where_rows_follow_each_other_in_the_source) {
  EXPECT_EQ(tiles({1'000'000, 50}, {1, 0}, 4), "transpose_image in tiles of 96 x 50 units of 4 bytes, with non-temporal stores");
  EXPECT_EQ(tiles({100'000, 400}, {1, 0}, 4), "transpose_image in tiles of 64 x 400 units of 4 bytes, with non-temporal stores");
  EXPECT_EQ(tiles({100'000, 1216}, {1, 0}, 4),
            "transpose_image in tiles of 64 x 1216 units of 4 bytes, with non-temporal stores");
  // rows of 8 bytes and more are transposed, shorter ones are shuffled
  EXPECT_EQ(tiles({1'000'000, 9}, {1, 0}, 1), "transpose_image in tiles of 1824 x 9 units of 1 byte, with non-temporal stores");
  auto const smaller = plan_cpu(canonical(permutation(numbers{1'000'000, 9}, {}, numbers{1, 0}, 1)), {.dense = 4 << 10});
  EXPECT_EQ(describe(smaller), "transpose_image in tiles of 464 x 9 units of 1 byte, with non-temporal stores");
}

TEST(cpu_plan, has_whole_tiles_of_16_bytes_in_the_cache) {
  EXPECT_EQ(tiles({100, 100}, {1, 0}, 16), "transpose_cached in tiles of 100 x 100 units of 16 bytes");
  EXPECT_EQ(tiles({100'000, 100}, {1, 0}, 16),
            "transpose_image in tiles of 16 x 100 units of 16 bytes, with non-temporal stores");
}

TEST(cpu_plan, gathers_small_tiles) {
  EXPECT_EQ(tiles({65536, 17, 19}, {0, 2, 1}, 4),
            "transpose_image in tiles of 6 x 17 x 19 units of 4 bytes, with non-temporal stores");
}

TEST(cpu_plan, moves_what_both_sides_share_as_a_unit) {
  EXPECT_EQ(tiles({100, 200, 32}, {1, 0, 2}, 4), "copy_blocks in tiles of 4 x 32 units of 128 bytes");
  EXPECT_EQ(tiles({1 << 20}, {0}, 4), "copy_runs in tiles of 1 x 1 units of 16384 bytes");
}

TEST(cpu_plan, shuffles_what_vectors_do_not_transpose) {
  EXPECT_EQ(tiles({1 << 20, 4, 4}, {0, 2, 1}, 4), "shuffle in tiles of 128 x 4 x 4 units of 4 bytes, with non-temporal stores");
  EXPECT_EQ(tiles({100, 200, 5}, {1, 0, 2}, 4), "shuffle in tiles of 32 x 32 units of 20 bytes");
  EXPECT_EQ(tiles({1000, 1000}, {1, 0}, 3), "shuffle in tiles of 96 x 64 units of 3 bytes");
  EXPECT_EQ(tiles({1'000'000, 5}, {1, 0}, 1), "shuffle in tiles of 3280 x 5 units of 1 byte, with non-temporal stores");
  EXPECT_EQ(tiles({5, 1'000'000}, {1, 0}, 1), "shuffle in tiles of 5 x 3984 units of 1 byte, with non-temporal stores");
  auto const mirrored = plan_cpu(canonical({.modes = {{12, 1000, 1}, {1000, -1, 12}}, .element_size = 1}));
  EXPECT_EQ(describe(mirrored), "shuffle in tiles of 12000 x 1 units of 1 byte");
  auto const every_third = [](std::int64_t size, std::int64_t count = 1'000'000) {
    return describe(plan_cpu(canonical({.modes = {{count, 3, 1}}, .element_size = size})));
  };
  EXPECT_EQ(every_third(2), "shuffle in tiles of 8144 x 1 units of 2 bytes");
  EXPECT_EQ(every_third(8),
            "transpose_image in tiles of 2048 x 1 units of 8 bytes, with non-temporal stores");  // each is in another vector
  EXPECT_EQ(every_third(2, 10'000'000), "transpose_image in tiles of 8192 x 1 units of 2 bytes, with non-temporal stores");
}

TEST(cpu_plan, has_columns_with_gaps) {
  auto const every = [](std::int64_t step, std::int64_t size) {
    return describe(plan_cpu(canonical({.modes = {{5000, step, 3000}, {3000, 5000 * step, 1}}, .element_size = size})));
  };
  EXPECT_EQ(every(2, 1), "shuffle in tiles of 256 x 1008 units of 1 byte, with non-temporal stores");
  EXPECT_EQ(every(-2, 4), "shuffle in tiles of 64 x 1008 units of 4 bytes, with non-temporal stores");
  EXPECT_EQ(every(3, 8), "gather in tiles of 32 x 1008 units of 8 bytes, with non-temporal stores");
  EXPECT_EQ(every(16, 4), "transpose_image in tiles of 3000 x 1 units of 4 bytes, with non-temporal stores")
      << "no two columns share a cache line";
}

TEST(cpu_plan, shares_modes_where_a_side_would_have_short_runs) {
  numbers const rows{8, 18200, 4, 6, 14}, order{4, 0, 2, 1, 3};
  auto const grouped = plan_cpu(canonical(permutation(rows, {}, order, 2)), {.prefetches = true});
  EXPECT_EQ(describe(grouped), "gather in tiles of 1014 x 56 units of 2 bytes, with non-temporal stores");
  EXPECT_EQ(grouped.load.adjacent, 14);
  // in the caches, short runs are fast
  EXPECT_FALSE(plan_cpu(canonical(permutation(numbers{8, 182, 4, 6, 14}, {}, order, 2)), {.prefetches = true}).load.shared_modes);
}

/// A strategy without an image has columns that follow each other, although a tall tile alone would gain from sharing modes.
TEST(cpu_plan, shares_no_modes_without_an_image) {
  numbers const shape{2, 7, 2, 2, 2, 57, 5, 6, 29, 2, 2, 2}, axes{10, 5, 4, 11, 6, 9, 8, 2, 1, 3, 0, 7};
  cpu_tile_hint const direct{.columns = 4096, .row = 8 << 10, .run = 256, .direct = true, .prefetches = true};
  EXPECT_EQ(describe(plan_cpu(canonical(permutation(shape, {}, axes, 4)), direct)),
            "transpose_image in tiles of 168 x 232 units of 4 bytes, with non-temporal stores");
}

TEST(cpu_plan, prefetches_the_runs_of_the_next_tile) {
  auto const p = canonical(permutation(numbers{36, 1327, 2059}, {}, numbers{1, 2, 0}, 2));
  EXPECT_EQ(plan_cpu(p).load.run, 0);  // the hardware prefetches the rows, which are long
  auto const plan = plan_cpu(p, {.prefetches = true});
  EXPECT_EQ(plan.load.run, plan.tile.row_bytes());
  EXPECT_EQ(plan.tables.run_source, plan.tables.row_source);
}

TEST(cpu_plan, shares_the_modes_that_both_sides_begin_with) {
  numbers const shape{2, 18, 2, 4, 78, 2, 313, 9, 4}, axes{1, 7, 4, 0, 6, 2, 3, 8, 5};
  auto const plan = plan_cpu(canonical(permutation(shape, {}, axes, 2)));
  EXPECT_EQ(describe(plan), "shuffle in tiles of 512 x 9 units of 2 bytes, with non-temporal stores");
  EXPECT_EQ(plan.tables.column_source, (numbers{0, 8, 16, 24, 32, 40, 48, 56, 64}));
  // a few columns whose rows follow each other gain nothing
  EXPECT_FALSE(plan_cpu(canonical(permutation(numbers{1'000'000, 3}, {}, numbers{1, 0}, 2))).load.shared_modes);
}

TEST(cpu_plan, follows_several_modes_with_a_batch) {
  EXPECT_EQ(tiles(numbers(22, 2), {1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14, 17, 16, 19, 18, 21, 20}, 1),
            "shuffle in tiles of 2048 x 2 x 2 units of 1 byte");
}

TEST(cpu_plan, shuffles_with_care_where_pages_of_the_source_may_be_unmapped) {
  auto const shuffle = [](std::int64_t pitch) {
    return plan_cpu(canonical({.modes = {{1000, 5, 5000}, {1000, pitch, 5}, {5, 1, 1}}, .element_size = 1})).shuffle;
  };
  for (std::int64_t const gap : {0, 4095, 4096}) EXPECT_GT(shuffle(5 * 1000 + gap).units, 0);
  EXPECT_FALSE(shuffle(5 * 1000 + 4095).within_pages);
  EXPECT_TRUE(shuffle(5 * 1000 + 4096).within_pages);
  EXPECT_FALSE(shuffle(5 * 1000 + 4096).is_joined);
  auto const planes = plan_cpu(canonical({.modes = {{1000, 12000, 2000}, {2000, 3, 1}, {3, 1, 2'000'000}}, .element_size = 1}));
  EXPECT_TRUE(planes.shuffle.within_pages && planes.shuffle.is_joined) << describe(planes);
}

TEST(cpu_plan, stages_single_bytes_that_come_from_memory) {
  auto const bytes = [](std::int64_t rows, std::int64_t size) {
    return plan_cpu(canonical(permutation(numbers{rows, 8192}, {}, numbers{1, 0}, size))).stage_bytes();
  };
  EXPECT_EQ(bytes(1000, 1), 64 * (1024 + 64));
  EXPECT_EQ(bytes(500, 1), 0);
  EXPECT_EQ(bytes(1000, 2), 0);
}

TEST(cpu_plan, has_images_that_fit_the_cache) {
  for (problem const& p : {problem{.modes = {{10'000'000, 1, 3}}, .element_size = 1},                    // out[::3] = x
                           problem{.modes = {{3, 1'000'000, 1}, {1'000'000, 1, 4}}, .element_size = 1},  // out[:, :3] = x.T
                           problem{.modes = {{2000, 1, 6000}, {2000, 2000, 3}}, .element_size = 1},      // out[:, :, 0] = x.T
                           problem{.modes = {{3, 1'000'000, 8}, {1'000'000, 8, 32}, {8, 1, 1}}, .element_size = 1}})
    EXPECT_LE(plan_cpu(canonical(p)).image_bytes(), 1 << 20) << describe(plan_cpu(canonical(p)));
}

TEST(cpu_plan, follows_hints) {
  auto const tiles = [](cpu_tile_hint hint) {
    hint.limits.cached_parts = 1;
    return describe(plan_cpu(canonical(permutation(numbers{1000, 1100}, {}, numbers{1, 0}, 2)), hint));
  };
  EXPECT_EQ(tiles({}), "transpose_cached in tiles of 336 x 1100 units of 2 bytes");
  EXPECT_EQ(tiles({.tile = 64 << 10}), "transpose_cached in tiles of 112 x 1100 units of 2 bytes");
  EXPECT_EQ(tiles({.tile = 64 << 10, .columns = 400}), "transpose_cached in tiles of 256 x 368 units of 2 bytes");
  EXPECT_EQ(tiles({.tile = 64 << 10, .columns = 400, .along_source = true}),
            "transpose_cached in tiles of 256 x 368 units of 2 bytes, along the source");
}

TEST(cpu_plan, names_the_strategies_without_an_image) {
  auto const is_described_as = [](numbers const& shape, numbers const& axes, std::int64_t size, std::string const& strategy) {
    auto const text =
        describe(plan_cpu(canonical(permutation(shape, {}, axes, size)), {.streamed_above = 0, .fields = 16, .direct = true}));
    EXPECT_TRUE(text.starts_with(strategy + " in tiles of ")) << text;
  };
  is_described_as({512, 200}, {1, 0}, 4, "transpose_nt");
  is_described_as({7040, 3}, {1, 0}, 4, "deinterleave_nt");
  is_described_as({3, 7043}, {1, 0}, 2, "interleave_nt");
  is_described_as({7043, 9}, {1, 0}, 1, "deinterleave_nt");
  is_described_as({9, 7043}, {1, 0}, 1, "interleave_nt");
  is_described_as({30, 20, 128}, {1, 0, 2}, 4, "copy_nt");
}

TEST(cpu_plan, covers_the_whole_problem) {
  for (auto const& shape : {numbers{1000, 999}, {3, 77777}, {77777, 3}, {12, 345, 67}, {345, 67, 12}}) {
    auto const plan = plan_cpu(canonical(permutation(shape, {}, shape.size() == 2 ? numbers{1, 0} : numbers{2, 1, 0}, 4)));
    std::int64_t most = plan.tasks() * plan.tile.bytes();
    EXPECT_GE(most, plan.bytes);
    EXPECT_LT(most, 2 * plan.bytes);
  }
}

}  // namespace
}  // namespace cornerturn
