#include "kernel/rung/plan.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "cornerturn/error.hpp"
#include "engine/host/host.hpp"
#include "kernel/rung/visit_use.hpp"
#include "problem/canonical.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"
#include "support/message.hpp"
#include "support/random_problem.hpp"
#include "support/run_on_cpu.hpp"
#include "support/seeds.hpp"
#include "support/slowed.hpp"

namespace cornerturn {
namespace {

/// Vectors fit both sides of this one, for every element size.
constexpr job kAligned{.rows = 64,
                       .cols = 128,
                       .batch = 3,
                       .source_pitch = 128,
                       .destination_pitch = 64,
                       .source_batch_stride = 8192,
                       .destination_batch_stride = 8192};

struct flaw {
  char const* what;
  bool source, destination;  ///< the side whose vectors it breaks
  void (*apply)(job&, alignment&);
};

/// Each one alone, by one element; pitches and strides are longer than they must be, as rows that are cut short leave them.
constexpr flaw kFlaws[] = {
    {"none", false, false, [](job&, alignment&) {}},
    {"source address", true, false, [](job&, alignment& aligned) { aligned.source = 8; }},
    {"destination address", false, true, [](job&, alignment& aligned) { aligned.destination = 8; }},
    {"source pitch", true, false, [](job& shape, alignment&) { ++shape.source_pitch; }},
    {"destination pitch", false, true, [](job& shape, alignment&) { ++shape.destination_pitch; }},
    {"source batch stride", true, false, [](job& shape, alignment&) { ++shape.source_batch_stride; }},
    {"destination batch stride", false, true, [](job& shape, alignment&) { ++shape.destination_batch_stride; }},
    {"cols", true, false, [](job& shape, alignment&) { --shape.cols; }},
    {"rows", false, true, [](job& shape, alignment&) { --shape.rows; }},
};

access_widths widths_of(rung kernel, int element_size, flaw const& flaw) {
  job shape = kAligned;
  alignment aligned;
  flaw.apply(shape, aligned);
  return plan_rung(kernel, shape, element_size, aligned).widths;
}

TEST(plan, vectors_are_chosen_for_each_side_apart) {
  for (int const size : {1, 2, 4, 8})
    for (auto const& flaw : kFlaws) {
      int const vector = 16 / size;
      EXPECT_EQ(widths_of(rung::vec_both, size, flaw), (access_widths{flaw.source ? 1 : vector, flaw.destination ? 1 : vector}))
          << flaw.what << ", " << size << " bytes";
    }
}

TEST(plan, vectors_on_one_side_prefer_the_source) {
  for (auto const kernel : {rung::vec_conflict_read, rung::vec_padded, rung::vec_swizzled})
    for (auto const& flaw : kFlaws)
      EXPECT_EQ(widths_of(kernel, 4, flaw), (flaw.source ? access_widths{1, 4} : access_widths{4, 1}))
          << name_of(kernel) << ", " << flaw.what;

  job odd = kAligned;
  ++odd.source_pitch, ++odd.destination_pitch;
  EXPECT_EQ(plan_rung(rung::vec_swizzled, odd, 4, {}).widths, (access_widths{1, 1}));
  EXPECT_EQ(plan_rung(rung::vec_both, odd, 4, {}).widths, (access_widths{1, 1}));
}

TEST(plan, a_copy_has_vectors_on_both_sides_or_none) {
  job straight = kAligned;
  straight.destination_pitch = 128;
  EXPECT_EQ(plan_rung(rung::copy, straight, 4, {}).widths, (access_widths{4, 4}));
  EXPECT_EQ(plan_rung(rung::copy, straight, 4, {16, 8}).widths, (access_widths{1, 1}));
  EXPECT_EQ(plan_rung(rung::copy, straight, 4, {8, 16}).widths, (access_widths{1, 1}));
  --straight.rows, --straight.cols;  // what is left of a row moves by elements
  EXPECT_EQ(plan_rung(rung::copy, straight, 4, {}).widths, (access_widths{4, 4}));
  for (auto const stride :
       {&job::source_pitch, &job::destination_pitch, &job::source_batch_stride, &job::destination_batch_stride}) {
    job odd = straight;
    ++(odd.*stride);
    EXPECT_EQ(plan_rung(rung::copy, odd, 4, {}).widths, (access_widths{1, 1}));
  }
}

TEST(plan, rungs_of_single_elements_stay_so) {
  for (auto const kernel : {rung::naive_read, rung::naive_write, rung::smem_conflict_read, rung::smem_conflict_write,
                            rung::smem_padded, rung::smem_swizzled})
    EXPECT_EQ(plan_rung(kernel, kAligned, 4, {}).widths, (access_widths{1, 1})) << name_of(kernel);
}

TEST(plan, an_element_of_16_bytes_is_a_vector) {
  rung_plan const chosen = plan_rung(rung::vec_both, kAligned, 16, {});
  EXPECT_EQ(chosen.widths, (access_widths{1, 1}));
  EXPECT_EQ(chosen.load_bytes(), 16);
  EXPECT_EQ(chosen.store_bytes(), 16);
}

TEST(plan, what_is_never_stepped_over_breaks_no_vector) {
  job shape{.rows = 1, .cols = 64, .batch = 1, .source_pitch = 65, .destination_pitch = 64, .source_batch_stride = 67};
  EXPECT_EQ(plan_rung(rung::vec_both, shape, 4, {}).widths.source, 4);
  shape = {.rows = 64, .cols = 1, .batch = 1, .source_pitch = 64, .destination_pitch = 65, .destination_batch_stride = 67};
  EXPECT_EQ(plan_rung(rung::vec_both, shape, 4, {}).widths.destination, 4);
}

TEST(plan, the_tile_is_the_rungs_for_its_widths) {
  for (auto const& each : kRungs)
    for (auto const aligned : {alignment{16, 16}, alignment{16, 4}, alignment{4, 16}, alignment{4, 4}}) {
      if (each.uses_tma() && (aligned.source < 16 || aligned.destination < 16)) continue;
      rung_plan const chosen = plan_rung(each.id, kAligned, 4, aligned);
      EXPECT_EQ(chosen.kernel, each.id);
      EXPECT_EQ(chosen.shape, kAligned);
      EXPECT_EQ(chosen.element_size, 4);
      EXPECT_EQ(chosen.tile, tiles_of(each.id, 4, chosen.widths).front());
    }
}

std::int64_t tiles_of(std::int64_t rows, std::int64_t cols, std::int64_t batch) {
  return plan_rung(rung::naive_read, {.rows = rows, .cols = cols, .batch = batch}, 4, {}).blocks;
}

TEST(plan, tiles_cover_every_edge) {
  ASSERT_EQ(tiles_of(rung::naive_read, 4, {}).front(), (tile_shape{32, 32, 1024}));
  EXPECT_EQ(tiles_of(1, 1, 1), 1);
  EXPECT_EQ(tiles_of(32, 32, 1), 1);
  EXPECT_EQ(tiles_of(33, 32, 1), 2);
  EXPECT_EQ(tiles_of(32, 33, 1), 2);
  EXPECT_EQ(tiles_of(65, 33, 5), 30);
  EXPECT_EQ(tiles_of(0, 33, 5), 0);
  EXPECT_EQ(tiles_of(65, 0, 5), 0);
  EXPECT_EQ(tiles_of(65, 33, 0), 0);
  EXPECT_EQ(tiles_of(std::int64_t(1) << 40, 1, 1), std::int64_t(1) << 35);
}

TEST(plan, offsets_shift_what_is_aligned) {
  auto const widths = [](std::int64_t source_offset, std::int64_t destination_offset, alignment aligned) {
    problem const given{.modes = {{64, 1, 64}, {64, 64, 1}},
                        .element_size = 4,
                        .source_offset = source_offset,
                        .destination_offset = destination_offset};
    auto const chosen = plan_problem(given, aligned);
    EXPECT_EQ(chosen->source_offset, source_offset);
    EXPECT_EQ(chosen->destination_offset, destination_offset);
    return chosen->widths;
  };
  EXPECT_EQ(widths(0, 0, {}), (access_widths{4, 4}));
  EXPECT_EQ(widths(1, 0, {}), (access_widths{1, 4}));
  EXPECT_EQ(widths(0, 2, {}), (access_widths{4, 1}));
  EXPECT_EQ(widths(4, 8, {}), (access_widths{4, 4}));
  EXPECT_EQ(widths(-4, -3, {}), (access_widths{4, 1}));
  EXPECT_EQ(widths(4, 4, {8, 4}), (access_widths{1, 1}));
}

TEST(plan, alignment_is_that_of_the_addresses) {
  auto const at = [](std::uintptr_t address) { return reinterpret_cast<void const*>(address); };
  for (auto const& [address, aligned] : {std::pair{32, 16}, {48, 16}, {40, 8}, {44, 4}, {46, 2}, {47, 1}}) {
    EXPECT_EQ(alignment_of(at(address), at(64)).source, aligned);
    EXPECT_EQ(alignment_of(at(64), at(address)).destination, aligned);
    EXPECT_EQ(alignment_of(at(64), at(address)).source, 16);
  }
}

std::string refusal(int element_size, alignment aligned, rung kernel = rung::naive_read, job const& shape = kAligned) {
  return test::message_of([&] { plan_rung(kernel, shape, element_size, aligned); });
}

TEST(plan, refuses_elements_across_their_alignment) {
  EXPECT_EQ(refusal(8, {4, 16}), "the source's alignment in bytes is 4; it must be a multiple of the element size, 8");
  EXPECT_EQ(refusal(16, {16, 8}), "the destination's alignment in bytes is 8; it must be a multiple of the element size, 16");
  EXPECT_EQ(refusal(4, {4, 4}), "");
  EXPECT_EQ(refusal(1, {1, 1}), "");
}

TEST(plan, refuses_what_tma_cannot_reach) {
  auto const broken = [](auto job::*member, std::int64_t value) {
    job shape = kAligned;
    shape.*member = value;
    return refusal(4, {}, rung::tma, shape);
  };
  EXPECT_EQ(broken(&job::source_pitch, 130),
            "the source's pitch in bytes is 520; it must be a multiple of 16 below 2^40 for TMA");
  EXPECT_EQ(broken(&job::destination_pitch, 65),
            "the destination's pitch in bytes is 260; it must be a multiple of 16 below 2^40 for TMA");
  EXPECT_EQ(broken(&job::source_batch_stride, 8193),
            "the source's batch stride in bytes is 32772; it must be a multiple of 16 below 2^40 for TMA");
  EXPECT_EQ(broken(&job::source_pitch, std::int64_t(1) << 38),
            "the source's pitch in bytes is 1099511627776; it must be a multiple of 16 below 2^40 for TMA");
  EXPECT_EQ(broken(&job::rows, std::int64_t(1) << 31),
            "the source's number of rows is 2147483648; it must be at most 2147483647 for TMA");
  EXPECT_EQ(broken(&job::batch, std::int64_t(1) << 31),
            "the source's batch is 2147483648; it must be at most 2147483647 for TMA");
  EXPECT_EQ(broken(&job::rows, 63), "the destination's row length in bytes is 252; it must be a multiple of 16 for a TMA store");
  EXPECT_EQ(refusal(4, {8, 16}, rung::tma), "the source's alignment in bytes is 8; it must be a multiple of 16 for TMA");
  EXPECT_EQ(refusal(4, {16, 4}, rung::tma_store),
            "the destination's alignment in bytes is 4; it must be a multiple of 16 for TMA");
  EXPECT_EQ(refusal(4, {4, 16}, rung::tma_store), "");

  job single{.rows = 1, .cols = 64, .batch = 1, .source_pitch = 65, .destination_pitch = 64, .source_batch_stride = 67};
  EXPECT_EQ(refusal(4, {}, rung::copy_tma, single), "");  // strides that are never taken
}

TEST(plan, blocks_may_move_several_tiles) {
  rung_plan const one = plan_rung(rung::tma,
                                  {.rows = 640,
                                   .cols = 64,
                                   .batch = 3,
                                   .source_pitch = 64,
                                   .destination_pitch = 640,
                                   .source_batch_stride = 40960,
                                   .destination_batch_stride = 40960},
                                  4, {});
  EXPECT_EQ(with_tile(one, {64, 64, 256, 1, 1}).blocks, 30);
  EXPECT_EQ(with_tile(one, {64, 64, 256, 1, 4}).blocks, 8);
  EXPECT_EQ(with_tile(one, {64, 64, 256, 1, 4}).shape, one.shape);
}

TEST(plan, boxes_are_for_whole_vectors_of_both_sides_that_move_so) {
  for (int const size : {1, 2, 4, 8, 16}) {
    EXPECT_EQ(plan_rung(rung::tma, kAligned, size, {}).widths, (access_widths{kBoxAccess, kBoxAccess}));
    EXPECT_EQ(plan_rung(rung::copy_tma, kAligned, size, {}).widths, (access_widths{kBoxAccess, kBoxAccess}));
    EXPECT_EQ(plan_rung(rung::tma_store, kAligned, size, {}).widths, (access_widths{16 / size, kBoxAccess}));
    job odd = kAligned;
    --odd.cols;  // boxes are cut short where the source ends
    EXPECT_EQ(plan_rung(rung::tma, odd, size, {}).widths, (access_widths{kBoxAccess, kBoxAccess}));
  }
  job odd = kAligned;
  ++odd.source_pitch;
  EXPECT_EQ(plan_rung(rung::tma_store, odd, 4, {}).widths, (access_widths{1, kBoxAccess}));
}

TEST(plan, shuffles_take_words_of_both_sides_or_single_elements) {
  for (int const size : {1, 2}) {
    EXPECT_EQ(plan_rung(rung::register_shuffle, kAligned, size, {}).widths, (access_widths{4 / size, 4 / size}));
    EXPECT_EQ(plan_rung(rung::register_shuffle, kAligned, size, {4, 4}).widths, (access_widths{4 / size, 4 / size}));
    EXPECT_EQ(plan_rung(rung::register_shuffle, kAligned, size, {4, size}).widths, (access_widths{1, 1}));
    EXPECT_EQ(plan_rung(rung::register_shuffle, kAligned, size, {size, 4}).widths, (access_widths{1, 1}));
  }
  for (int const size : {4, 8, 16})
    EXPECT_EQ(plan_rung(rung::register_shuffle, kAligned, size, {}).widths, (access_widths{1, 1}));
}

TEST(plan, describes_itself) {
  rung_plan each{.kernel = rung::vec_both,
                 .widths = {4, 4},
                 .tile = {64, 64, 128},
                 .element_size = 4,
                 .shape = {.rows = 4096, .cols = 8192, .batch = 3}};
  EXPECT_EQ(describe(each), "vec-both 64x64, 128 threads, 16-byte loads and stores: 3 x 4096 x 8192 of 4 bytes");
  each.widths = {4, 1};
  EXPECT_EQ(describe(each), "vec-both 64x64, 128 threads, 16-byte loads, 4-byte stores: 3 x 4096 x 8192 of 4 bytes");
  each.widths = {4, kBoxAccess};
  EXPECT_EQ(describe(each), "vec-both 64x64, 128 threads, 16-byte loads, stores of boxes: 3 x 4096 x 8192 of 4 bytes");
  each.widths = {kBoxAccess, kBoxAccess};
  EXPECT_EQ(describe(each), "vec-both 64x64, 128 threads, loads and stores of boxes: 3 x 4096 x 8192 of 4 bytes");
  each = {.tile = {1, 128, 128}, .element_size = 1, .shape = {.rows = 1, .cols = 7, .batch = 1}};
  EXPECT_EQ(describe(each), "copy 1x128, 128 threads, 1-byte loads and stores: 1 x 1 x 7 of 1 byte");
}

TEST(plan, is_by_the_rung_for_what_a_problem_folds_to) {
  auto const kernel = [](problem const& p) { return plan_problem(p, {})->kernel; };
  EXPECT_EQ(kernel({.modes = {{7, 1, 1000}, {1000, 7, 1}}, .element_size = 4}), rung::vec_both);
  EXPECT_EQ(kernel({.modes = {{7, 5, 9}, {5, 1, 1}}}), rung::copy);
  EXPECT_FALSE(plan_problem({.modes = {{9, 2, 3}}}, {}));
}

/// Runs a problem by its plan on the host executor and by the CPU engine. Says which kernel it was, if there was a plan.
std::optional<rung> check_plan(problem const& given, unsigned seed, std::int64_t most_tiles) {
  problem const simplest = canonical(given);
  auto const read = std::size_t(source_range(given).high), written = std::size_t(destination_range(given).high);
  // vectors fit two thirds of the addresses at best
  std::size_t const shift = std::size_t(seed % 3 * shared_element_size(simplest));
  std::vector<std::byte> source(read + shift), result(written + shift + 64, std::byte(0xEE));
  std::mt19937 random(seed);
  for (auto& byte : source) byte = std::byte(random());
  auto expected = result;

  auto const chosen = plan_problem(simplest, alignment_of(source.data() + shift, result.data() + shift));
  if (!chosen || chosen->blocks > most_tiles) return std::nullopt;
  test::run_on_cpu(simplest, source.data() + shift, expected.data() + shift);
  host::run(*chosen, source.data() + shift, result.data() + shift);
  EXPECT_TRUE(result == expected) << to_string(given) << " by " << describe(*chosen);
  return chosen->kernel;
}

TEST(plan, moves_what_the_cpu_engine_moves) {
  std::set<rung> seen;
  test::for_each_seed(test::is_slowed() ? 100 : 400, [&](unsigned seed) {
    auto const limits = seed % 4 ? test::random_limits{.rank = 4, .extent = 9} : test::random_limits{.rank = 3, .extent = 70};
    if (auto const kernel = check_plan(test::random_problem(seed, limits), seed, 300)) seen.insert(*kernel);
  });
  if (std::getenv("CORNERTURN_SEED")) return;  // one problem has one kernel
  EXPECT_EQ(seen, (std::set{rung::copy, rung::vec_both}));
}

TEST(plan_variant, has_the_use_of_who_runs_it) {
  auto const planned = plan_rung(rung::vec_both, kAligned, 4, {});
  auto const laddered = plan_rung(rung::tma, kAligned, 4, {});
  EXPECT_EQ(use_of(planned), variant_use::plans);
  EXPECT_EQ(use_of(with_tile(planned, {32, 32, 64})), variant_use::plans);
  EXPECT_EQ(use_of(laddered), variant_use::ladder);
  EXPECT_EQ(use_of(with_tile(laddered, {64, 64, 256})), variant_use::sweeps);
}

TEST(plan_variant, is_visited_with_its_use_if_that_is_built) {
  auto const laddered = plan_rung(rung::tma, kAligned, 4, {});
  int visits = 0;
  auto const visit = [&]<variant_use Use>(use_constant<Use>) {
    ++visits;
    EXPECT_EQ(Use, variant_use::ladder);
  };
  EXPECT_FALSE(visit_use<variant_use::plans>(laddered, visit));
  EXPECT_EQ(visits, 0);
  EXPECT_TRUE(visit_use<variant_use::ladder>(laddered, visit));
  EXPECT_TRUE(visit_use<variant_use::sweeps>(laddered, visit));
  EXPECT_EQ(visits, 2);
}

}  // namespace
}  // namespace cornerturn
