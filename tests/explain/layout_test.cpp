#include "cornerturn/layout.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cute/tensor.hpp>

#include "explain/tiled.hpp"
#include "layout/notation.hpp"
#include "support/side.hpp"

namespace cornerturn {
namespace {

using test::side;

using strings = std::vector<std::string>;

constexpr auto kDown = "(32,8):(1,32)", kAcross = "(8,32):(32,1)";  // a warp's lanes down a column, or across a row

layout_explanation explained(std::string const& layout, side const& store, int element_size = 4, side const& load = {""}) {
  return explain_layout({layout, store, load, element_size});
}

/// The counts over all requests: requests, lanes, wavefronts, ideal wavefronts, sectors, ideal sectors.
using totals = std::array<std::int64_t, 6>;
enum { kLanes = 1, kWavefronts = 2 };

totals totals_of(memory_instruction const& each) {
  return {each.requests, each.active_lanes, each.wavefronts, each.ideal_wavefronts, each.sectors, each.ideal_sectors};
}

totals stored(std::string const& layout, side const& store, int element_size = 4) {
  auto const all = explained(layout, store, element_size).instructions;
  EXPECT_EQ(all.size(), 1u);
  EXPECT_TRUE(all.front().store);
  EXPECT_EQ(all.front().bytes, store.vector ? store.vector : element_size);
  return totals_of(all.front());
}

/// 128 requests of full warps, which is what 64 x 64 elements take.
totals each_request(int wavefronts, int ideal_wavefronts, int sectors, int ideal_sectors) {
  return {128, 4096, 128 * wavefronts, 128 * ideal_wavefronts, 128 * sectors, 128 * ideal_sectors};
}

TEST(layout, lanes_that_want_different_words_of_a_bank_wait) {
  EXPECT_EQ(stored("(64,64):(64,1)", {kAcross}), each_request(1, 1, 4, 4));
  EXPECT_EQ(stored("(64,64):(1,64)", {kDown}), each_request(1, 1, 4, 4));
  EXPECT_EQ(stored("(64,64):(2,128)", {kDown}), each_request(2, 1, 8, 4));
  EXPECT_EQ(stored("(64,64):(4,256)", {kDown}), each_request(4, 1, 16, 4));
  EXPECT_EQ(stored("(64,64):(8,512)", {kDown}), each_request(8, 1, 32, 4));
  EXPECT_EQ(stored("(64,64):(64,1)", {kDown}), each_request(32, 1, 32, 4));
  EXPECT_EQ(stored("(64,64):(0,1)", {kDown})[kWavefronts], 128);
}

TEST(layout, padding_and_swizzles_part_the_lanes) {
  EXPECT_EQ(stored("(64,64):(65,1)", {kDown}), each_request(1, 1, 32, 4));
  EXPECT_EQ(stored("(64,64):(66,1)", {kDown}), each_request(2, 1, 32, 4));
  EXPECT_EQ(stored("Swizzle<5,0,6> o (64,64):(64,1)", {kDown}), each_request(1, 1, 32, 4));
  EXPECT_EQ(stored("Swizzle<5,0,6> o (64,64):(64,1)", {kAcross}), each_request(1, 1, 4, 4));
  EXPECT_EQ(stored("Swizzle<3,0,6> o (64,64):(64,1)", {kDown}), each_request(4, 1, 32, 4));
}

TEST(layout, a_wavefront_serves_128_bytes) {
  EXPECT_EQ(stored("(64,64):(64,1)", {kAcross}, 1), each_request(1, 1, 1, 1));
  EXPECT_EQ(stored("(64,64):(64,1)", {kAcross}, 2), each_request(1, 1, 2, 2));
  EXPECT_EQ(stored("(64,64):(64,1)", {kAcross}, 8), each_request(2, 2, 8, 8));
  EXPECT_EQ(stored("(64,64):(64,1)", {kAcross}, 16), each_request(4, 4, 16, 16));
  EXPECT_EQ(stored("(64,64):(64,1)", {kDown}, 1), each_request(16, 1, 32, 1));
  EXPECT_EQ(stored("(64,64):(64,1)", {kDown}, 2), each_request(32, 1, 32, 2));
  EXPECT_EQ(stored("(64,64):(64,1)", {kDown}, 8), each_request(32, 2, 32, 8));
  EXPECT_EQ(stored("(64,64):(64,1)", {kDown}, 16), each_request(32, 4, 32, 16));
  EXPECT_EQ(stored("(64,64):(1,64)", {kDown, "2:1", 4}, 2), (totals{64, 2048, 64, 64, 256, 256}));
}

TEST(layout, vectors_are_one_access) {
  std::string const values = "(1,4)";
  EXPECT_EQ(stored("(64,64):(64,1)", {"(16,16):(16,1)", values, 16}), (totals{32, 1024, 128, 128, 512, 512}));
  EXPECT_EQ(stored("(64,64):(64,1)", {"(16,16):(16,1)", values, 8}), (totals{64, 2048, 256, 128, 1024, 512}));
  EXPECT_EQ(stored("(64,64):(64,1)", {kDown, values, 16}), (totals{32, 1024, 1024, 128, 1024, 512}));
  EXPECT_EQ(stored("(64,64):(68,1)", {kDown, values, 16}), (totals{32, 1024, 128, 128, 1024, 512}));
  EXPECT_EQ(stored("(64,64):(64,1)", {kDown, values}), each_request(32, 1, 32, 4));
}

TEST(layout, nested_layouts_and_other_ranks) {
  EXPECT_EQ(stored("((4,16),64):((1,256),4)", {kDown}), each_request(8, 1, 8, 4));
  EXPECT_EQ(stored("((4,16),64):((1,256),4)", {kAcross}), each_request(4, 1, 16, 4));
  EXPECT_EQ(stored("64:1", {"32:1"}), (totals{2, 64, 2, 2, 8, 8}));
  EXPECT_EQ(stored("64:2", {"64:1"}), (totals{2, 64, 4, 2, 16, 8}));
  EXPECT_EQ(stored("64:1", {"16:1"}), (totals{4, 64, 4, 4, 8, 8}));
  EXPECT_EQ(stored("(4,8,16):(1,4,32)", {"(4,8):(1,4)"}), (totals{16, 512, 16, 16, 64, 64}));
  EXPECT_EQ(stored("64:2 o (8,8):(8,1)", {"(8,8):(8,1)"}), (totals{2, 64, 4, 2, 16, 8}));
}

TEST(layout, lanes_outside_the_tile_are_predicated_off) {
  auto const all = explained("(40,10):(10,1)", {kDown});
  EXPECT_EQ(totals_of(all.instructions.front()), (totals{20, 400, 30, 20, 400, 50}));
  EXPECT_EQ(all.instructions.front().bytes_needed, 1600);
  EXPECT_EQ(stored("(40,10):(10,1)", {"(4,8):(8,1)", "(1,4)", 8})[kLanes], 40 * 5);
  EXPECT_EQ(stored("(4,6):(8,1)", {"4:1", "(1,4)", 16})[kLanes], 4);  // a vector that ends outside does nothing
}

TEST(layout, the_load_is_counted_apart) {
  auto const all = explained("(64,64):(64,1)", {kDown}, 4, {"(16,16):(16,1)", "(1,4)", 16});
  ASSERT_EQ(all.instructions.size(), 2u);
  EXPECT_EQ(totals_of(all.instructions[0]), each_request(32, 1, 32, 4));
  EXPECT_EQ(totals_of(all.instructions[1]), (totals{32, 1024, 128, 128, 512, 512}));
  EXPECT_TRUE(all.instructions[0].store);
  EXPECT_FALSE(all.instructions[1].store);
  EXPECT_EQ(all.instructions[0].ways(), 32);
  EXPECT_EQ(all.instructions[1].ways(), 1);
}

TEST(layout, the_tile_says_where_elements_lie_and_who_stores_them) {
  auto const all = explained("Swizzle<1,0,2> o (2,(2,3)):(4,(1,8))", {"(1,2):(0,1)"}, 8);
  EXPECT_EQ(all.layout, "Sw<1,0,2> o _0 o (2,(2,3)):(4,(1,8))");
  EXPECT_EQ(all.elements, 22);
  EXPECT_EQ(all.element_size, 8);
  EXPECT_EQ(all.tile.rows, 2);
  EXPECT_EQ(all.tile.cols, 6);
  EXPECT_EQ(all.tile.unswizzled, (std::vector<std::int64_t>{0, 1, 8, 9, 16, 17, 4, 5, 12, 13, 20, 21}));
  EXPECT_EQ(all.tile.offsets, (std::vector<std::int64_t>{0, 1, 8, 9, 16, 17, 5, 4, 13, 12, 21, 20}));
  EXPECT_EQ(all.tile.threads, (std::vector<int>{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(explained("(2,3)", {"1:0"}).tile.unswizzled, (std::vector<std::int64_t>{}));
}

TEST(layout, requests_are_kept_with_their_lanes) {
  auto const sample = explained("(64,64):(2,128)", {kDown}).instructions.front().samples.front();
  ASSERT_EQ(sample.lanes.size(), 32u);
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(sample.lanes[std::size_t(i)].address, i * 8);
    EXPECT_EQ(sample.lanes[std::size_t(i)].wavefront, i / 16);
  }
}

/// Each thread's values, in their order and over all repetitions of the copy, are those that CuTe's TiledCopy gives it.
template <class Threads, class Values, class Shape>
void expect_cutes_partition(Threads const& threads, Values const& values, Shape const& shape, int vector = 1) {
  using namespace cute;
  auto const text_of = [](auto const& layout) {
    testing::internal::CaptureStdout();
    print(layout);
    return testing::internal::GetCapturedStdout();
  };
  auto const threads_text = text_of(threads), values_text = text_of(values);
  std::vector<std::int64_t> extents;
  for_each(shape, [&](auto const extent) { extents.push_back(extent); });
  auto const mine = vectors_of({parse_layout("threads", threads_text), parse_layout("values", values_text), vector}, extents, "");

  auto const copy = make_tiled_copy(Copy_Atom<UniversalCopy<int>, int>{}, threads, values);
  ASSERT_EQ(int(mine.size()) * vector, int(size(threads) * size(copy.get_slice(0).partition_S(make_identity_tensor(shape)))));
  for (auto const& each : mine) {
    auto const theirs = copy.get_slice(each.thread).partition_S(make_identity_tensor(shape));
    bool whole = true;
    for (int v = 0; v < vector; ++v) whole = whole && elem_less(theirs(each.occurrence * vector + v), shape);
    ASSERT_EQ(each.elements.size(), whole ? std::size_t(vector) : 0u);
    for (std::size_t v = 0; v < each.elements.size(); ++v)
      ASSERT_EQ(each.elements[v], crd2idx(theirs(each.occurrence * vector + int(v)), shape))
          << threads_text << " " << values_text << " " << each.thread;
  }
}

TEST(layout, threads_and_values_mean_what_they_mean_in_make_tiled_copy) {
  using namespace cute;
  auto const down = make_layout(make_shape(_32{}, _8{}));
  auto const across = make_layout(make_shape(_8{}, _32{}), LayoutRight{});
  auto const one = make_layout(make_shape(_1{}, _1{}));
  expect_cutes_partition(down, one, make_shape(_64{}, _64{}));
  expect_cutes_partition(across, one, make_shape(_64{}, _64{}));
  expect_cutes_partition(down, make_layout(make_shape(_1{}, _4{})), make_shape(_64{}, _64{}), 4);
  expect_cutes_partition(across, make_layout(make_shape(_4{}, _2{}), LayoutRight{}), make_shape(_64{}, _128{}), 2);
  expect_cutes_partition(make_layout(make_shape(_4{}, _3{}), LayoutRight{}), make_layout(make_shape(_2{}, _5{})),
                         make_shape(_16{}, Int<30>{}), 5);
  expect_cutes_partition(make_layout(make_shape(make_shape(_2{}, _4{}), _4{}), make_stride(make_stride(_1{}, _8{}), _2{})),
                         make_layout(make_shape(_2{}, make_shape(_2{}, _2{})), make_stride(_2{}, make_stride(_4{}, _1{}))),
                         make_shape(_32{}, _32{}), 2);
  expect_cutes_partition(Layout<_32>{}, Layout<_4>{}, make_shape(_256{}), 4);
  expect_cutes_partition(Layout<Shape<_4, _2, _3>, Stride<_1, _12, _4>>{}, Layout<Shape<_1, _2, _1>>{},
                         make_shape(_8{}, _8{}, _6{}), 2);
}

TEST(layout, tiles_that_the_threads_do_not_divide_end_as_in_cute) {
  using namespace cute;
  expect_cutes_partition(Layout<Shape<_4, _3>, Stride<_3, _1>>{}, Layout<Shape<_2, _4>, Stride<_4, _1>>{},
                         make_shape(Int<19>{}, Int<26>{}), 4);
  expect_cutes_partition(Layout<Shape<_32, _8>>{}, Layout<Shape<_1, _2>>{}, make_shape(_5{}, _40{}));
}

/// "kind at instruction".
strings kinds(layout_explanation const& all) {
  strings result;
  for (auto const& each : all.findings) result.push_back(each.kind + " at " + std::to_string(each.instruction));
  return result;
}

std::string only_finding(layout_explanation const& all) {
  return all.findings.size() == 1 ? all.findings.front().kind + ": " + all.findings.front().text
                                  : std::to_string(all.findings.size()) + " findings";
}

TEST(layout, no_finding_where_all_is_well) {
  EXPECT_EQ(kinds(explained("(64,64):(64,1)", {kAcross}, 4, {kAcross})), strings{});
  EXPECT_EQ(kinds(explained("(64,64):(1,64)", {kDown})), strings{});
  EXPECT_EQ(kinds(explained("(64,64):(64,1)", {kAcross}, 16)), strings{});
}

TEST(layout, scattered_lanes_are_found_for_global_memory) {
  EXPECT_EQ(only_finding(explained("(64,64):(65,1)", {kDown})),
            "scattered: global store: 32 sectors per request instead of 4: the lanes' stride is 260 bytes; "
            "give neighbouring lanes neighbouring elements, via shared memory if necessary");
  EXPECT_EQ(kinds(explained("(64,64):(65,1)", {kDown}, 4, {kAcross})), (strings{"scattered at 0", "straddling at 1"}));
  EXPECT_EQ(kinds(explained("Swizzle<5,0,6> o (64,64):(64,1)", {kDown}, 4, {kAcross})), strings{"scattered at 0"});
  EXPECT_EQ(kinds(explained("(64,64):(68,1)", {kDown, "(1,4)", 16})), strings{"scattered at 0"});
}

TEST(layout, idle_lanes_are_found) {
  EXPECT_EQ(only_finding(explained("64:1", {"16:1"})),
            "idle-lanes: store: 16 of 32 lanes are active on average, because its 16 threads do not fill warps of 32");
  EXPECT_EQ(explained("64:1", {"7:1"}).findings.front().text,
            "store: 6.4 of 32 lanes are active on average, because its 7 threads do not fill warps of 32, and along mode 0 its "
            "threads and values cover 7 elements, and the tile's 64 are not a multiple of it");
  EXPECT_EQ(only_finding(explained("(64,48):(1,64)", {kDown, "(1,4)"}, 4, {"(64,1)"})),
            "idle-lanes: store: 32 of 32 lanes are active on average, and 32 of 128 warp accesses have no active lane, because "
            "along mode 1 its threads and values cover 32 elements, and the tile's 48 are not a multiple of it");
  // 32 lanes, 31 and the last thread alone; it has no work in the second half
  auto const odd = explained("(64,64):(1,64)", {"33"});
  EXPECT_EQ(odd.findings.front().text,
            "store: 21.3 of 32 lanes are active on average, and 64 of 256 warp accesses have no active lane, because its 33 "
            "threads do not fill warps of 32, and along mode 0 its threads and values cover 33 elements, and the tile's 64 are "
            "not a multiple of it");
}

TEST(layout, advice_is_not_to_pad_where_that_does_not_help) {
  auto const advice = [](layout_explanation const& all) {
    auto const& text = all.findings.front().text;
    return text.substr(text.find("; ") + 2);
  };
  std::string const values = "(1,8):(0,1)";
  EXPECT_EQ(advice(explained("(64,256):(256,1)", {"(8,32):(32,1)", values})),
            "a thread's values are contiguous: a vector of 16 bytes moves them in 1024 wavefronts instead of 4096");
  EXPECT_EQ(advice(explained("(64,64):(64,1)", {"(32,8):(8,1)", values})),
            "a thread's values are contiguous: a vector of 16 bytes moves them in 256 wavefronts instead of 1024; padding "
            "the row leaves 256");
  EXPECT_EQ(advice(explained("(64,256):(256,1)", {"(8,32):(32,1)", "(1,8):(0,1)", 16})),
            "padding the row by 16 bytes (4 elements) does not separate them: swizzle, change the order of the threads, or see "
            "what --suggest finds");
}

TEST(layout, conflicts_are_found) {
  EXPECT_EQ(explained("(64,64):(64,1)", {kAcross}, 4, {kDown}).findings.front().text,
            "shared load: 32-way bank conflict: lanes 0..31 all in bank 0, because their stride of 256 bytes is a "
            "multiple of 128; pad the row by 4 bytes (1 element) or swizzle");
  EXPECT_EQ(explained("(64,64):(66,1)", {kDown}).findings.front().text,
            "shared store: 2-way bank conflict: lanes 0, 16 all in bank 0; pad the row by 4 bytes (1 element) or swizzle");
  EXPECT_EQ(kinds(explained("(64,64):(64,1)", {kDown}, 4, {kDown})),
            (strings{"stride-32 at 0", "stride-32 at 1", "scattered at 0", "scattered at 1"}));
}

TEST(layout, a_swizzle_that_counts_bytes_is_found) {
  auto const load = [](std::string const& layout, int element_size) {
    return explain_layout({.layout = layout, .element_size = element_size, .ldmatrix = 4});
  };
  auto const hint =
      "Swizzle<3,4,3> is a mode of TMA in bytes, but here it counts elements of 2 bytes, for which that mode is "
      "Swizzle<3,3,3>; or change its bits";
  auto const in_bytes = load("Swizzle<3,4,3> o (64,64):(64,1)", 2);
  EXPECT_NE(in_bytes.findings.front().text.find(hint), std::string::npos) << in_bytes.findings.front().text;
  EXPECT_TRUE(load("Swizzle<3,3,3> o (64,64):(64,1)", 2).findings.empty());
}

TEST(layout, a_conflict_of_vectors_names_their_banks_and_the_padding) {
  auto const all = explain_layout({.layout = "(64,64):(64,1)", .element_size = 2, .ldmatrix = 4});
  EXPECT_EQ(all.findings.front().text,
            "shared load: 8-way bank conflict: lanes 0..7 all in banks 0..3; pad the row by 16 bytes (8 elements) or swizzle");
  EXPECT_TRUE(explain_layout({.layout = "(64,64):(72,1)", .element_size = 2, .ldmatrix = 4}).findings.empty());
}

TEST(layout, the_advice_helps) {
  struct padded {
    side store;
    int element_size;
    std::string advice, layout;
  };
  for (auto const& [store, element_size, advice, layout] :
       {padded{{kDown}, 2, "pad the row by 4 bytes ", "(64,64):(66,1)"},
        {{kDown}, 8, "pad the row by 8 bytes ", "(64,64):(65,1)"},
        {{kDown, "(1,4)", 16}, 4, "pad the row by 16 bytes ", "(64,64):(68,1)"}}) {
    auto const found = explained("(64,64):(64,1)", store, element_size).findings.front().text;
    EXPECT_NE(found.find(advice), std::string::npos) << found;
    EXPECT_EQ(explained(layout, store, element_size).instructions.front().ways(), 1) << layout;
  }
}

TEST(layout, a_swizzle_of_no_use_to_an_access_is_found) {
  auto const of_no_use = "the layout's swizzle has no effect on this access";
  for (auto const& all :
       {explained("Swizzle<1,6,3> o (64,64):(64,1)", {kDown}), explained("Swizzle<3,0,8> o (64,256):(256,1)", {kAcross, "(1,8)"}),
        explained("Swizzle<3,0,8> o (64,256):(256,1)", {kAcross}, 4, {kAcross, "(1,8)"})}) {
    ASSERT_FALSE(all.findings.empty());
    EXPECT_EQ(all.findings.front().kind, "unused-swizzle");
    EXPECT_EQ(all.findings.front().text.find("because their stride"), std::string::npos);  // their stride has the swizzle in it
    EXPECT_EQ(all.findings.front().instruction, int(all.instructions.size()) - 1);
    EXPECT_NE(all.findings.front().text.find(of_no_use), std::string::npos) << all.findings.front().text;
    EXPECT_EQ(all.findings.front().text.find("pad the row"), std::string::npos) << all.findings.front().text;
  }
  EXPECT_EQ(kinds(explained("Swizzle<3,0,6> o (64,64):(64,1)", {kDown})),
            (strings{"bank-conflict at 0", "scattered at 0"}));  // it helps, a little
}

TEST(layout, a_swizzle_is_judged_by_what_a_load_takes_without_it) {
  auto const all = explained("Swizzle<3,2,4> o (2,32):(32,1)", {"(4,8):(1,4)"}, 8, {"(4,8):(1,4)"});
  EXPECT_EQ(kinds(all)[1], "unused-swizzle at 1") << all.findings[1].text;  // 2 wavefronts as a load, 4 as a store
}

TEST(layout, vectors_torn_apart_are_found) {
  auto const torn = [](int elements, int thread) {
    return "torn-vector: store: the " + std::to_string(elements) + " elements of thread " + std::to_string(thread) +
           "'s vector are not contiguous in memory; change the order of the values, or use a narrower vector";
  };
  EXPECT_EQ(only_finding(explained("(64,64):(2,128)", {"(64,4):(1,64)", "(1,2)", 8})), torn(2, 0));
  EXPECT_EQ(only_finding(explained("(64,64):(64,1)", {"(16,16):(16,1)", "(1,4):(0,1)", 16})), "0 findings");
  auto const swizzled = explained("Swizzle<2,0,6> o (64,64):(64,1)", {"(16,16):(16,1)", "(1,4)", 16});
  EXPECT_EQ(kinds(swizzled), (strings{"misaligned-vector at 0", "torn-vector at 0"}));
  EXPECT_EQ("torn-vector: " + swizzled.findings[1].text, torn(4, 16));
}

TEST(layout, what_no_gpu_does_has_no_cost) {
  for (auto const& store : {side{"(32,4)", "(1,4):(0,1)", 16}, side{"(16,4)", "(4,1):(1,0)", 8}}) {  // misaligned; torn
    auto const all = explained("(64,64):(65,1)", store, 4, {kAcross});
    auto const impossible = all.instructions.front();
    EXPECT_EQ(totals_of(impossible), (totals{impossible.requests, impossible.active_lanes, 0, 0, 0, 0}));
    EXPECT_TRUE(impossible.samples.empty());
    for (auto const& each : all.findings)
      EXPECT_TRUE(each.instruction == 1 || each.kind.ends_with("vector")) << each.kind << ": " << each.text;
    EXPECT_EQ(totals_of(all.instructions.back())[kWavefronts], 128);
  }
}

TEST(layout, misaligned_vectors_are_found) {
  auto const all = explained("(64,64):(66,1)", {"(16,16):(16,1)", "(1,4)", 16});
  ASSERT_FALSE(all.findings.empty());
  EXPECT_EQ(all.findings.front().kind, "misaligned-vector");
  EXPECT_EQ(all.findings.front().text,
            "store: lane 16 accesses 16 bytes at address 264, which is not a multiple of 16; the GPU faults: "
            "align the rows, or use vectors of 8 bytes");
  EXPECT_EQ(kinds(explained("(64,64):(66,1)", {kAcross, "(1,2)", 8})), strings{"straddling at 0"});
}

TEST(layout, the_largest_sizes_are_served) {
  EXPECT_EQ(stored("(1024,1024) o (512,512)", {"1024"})[kLanes], 512 * 512);
  EXPECT_EQ(stored("(4,4):(1,500000000)", {"4"}, 16), (totals{4, 16, 4, 4, 8, 8}));
}

}  // namespace
}  // namespace cornerturn
