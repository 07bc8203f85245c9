#include <gtest/gtest.h>

#include <array>
#include <cute/tensor.hpp>

#include "cornerturn/layout.hpp"
#include "explain/suggest.hpp"
#include "kernel/rung/vec_both.hpp"
#include "layout/notation.hpp"
#include "support/message.hpp"
#include "support/side.hpp"

namespace cornerturn {
namespace {

using test::side;

side const kByColumns("(32,8):(1,32)"), kByRows("(8,32):(32,1)"), kNone("");

struct question {
  std::string layout;
  side store, load = kNone;
  int element_size = 4;
};

std::int64_t wavefronts(std::string const& layout, question const& asked) {
  std::int64_t total = 0;
  for (auto const& each : explain_layout({layout, asked.store, asked.load, asked.element_size}).instructions)
    total += each.wavefronts;
  return total;
}

/// What is suggested, once that keeps its promises: explained again it costs as much, no two elements lie in one place.
layout_suggestion suggested(question const& asked) {
  auto const result = suggest_layout({asked.layout, asked.store, asked.load, asked.element_size});
  EXPECT_EQ(wavefronts(result.layout, asked), result.wavefronts) << result.layout;
  auto const before = wavefronts(asked.layout, asked);
  EXPECT_TRUE(before == 0 || result.wavefronts <= before) << before;  // 0: no GPU does it as it was
  EXPECT_GE(result.wavefronts, result.ideal_wavefronts);

  auto const layout = parse_layout("layout", result.layout);
  EXPECT_EQ(layout.cosize(), result.elements);
  EXPECT_EQ(layout.extents(), parse_layout("layout", asked.layout).extents());
  std::vector<bool> taken(std::size_t(result.elements));
  for (std::int64_t i = 0; i < layout.size(); ++i) {
    EXPECT_FALSE(taken[std::size_t(layout(i))]) << result.layout << " at " << i;
    taken[std::size_t(layout(i))] = true;
  }
  return result;
}

/// "layout: wavefronts (without a conflict), elements".
std::string answer(question const& asked) {
  auto const found = suggested(asked);
  return found.layout + ": " + std::to_string(found.wavefronts) + " (" + std::to_string(found.ideal_wavefronts) + "), " +
         std::to_string(found.elements);
}

TEST(suggest, a_tile_that_is_stored_down_and_loaded_across_is_swizzled) {
  EXPECT_EQ(answer({"(64,64):(64,1)", kByColumns, kByRows, 1}), "Sw<4,2,5> o _0 o (64,64):(64,1): 256 (256), 4096");
  EXPECT_EQ(answer({"(64,64):(64,1)", kByColumns, kByRows, 2}), "Sw<5,1,5> o _0 o (64,64):(64,1): 256 (256), 4096");
  EXPECT_EQ(answer({"(64,64):(64,1)", kByColumns, kByRows, 4}), "Sw<5,0,6> o _0 o (64,64):(64,1): 256 (256), 4096");
  EXPECT_EQ(answer({"(64,64):(64,1)", kByColumns, kByRows, 8}), "Sw<4,0,6> o _0 o (64,64):(64,1): 512 (512), 4096");
  EXPECT_EQ(answer({"(64,64):(64,1)", kByColumns, kByRows, 16}), "Sw<3,0,6> o _0 o (64,64):(64,1): 1024 (1024), 4096");
}

TEST(suggest, the_swizzle_of_vec_both) {
  EXPECT_EQ(answer({"(64,64):(1,64)", {"(16,16):(16,1)", "(4,4):(1,4)", 16}, {"(16,16):(1,16)", "(4,1)", 16}}),
            "Sw<3,2,6> o _0 o (64,64):(1,64): 256 (256), 4096");
  testing::internal::CaptureStdout();
  cute::print(tile::vec_both<float, 64, 64, 256, 1, 4, 4>::shared_layout{});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "Sw<3,2,6> o _0 o (_64,_64):(_1,_64)");
}

TEST(suggest, a_load_s_lanes_that_share_words_are_served_together) {
  side const store("(8,16):(16,1)");
  EXPECT_EQ(answer({"(32,17):(17,1)", store, store, 8}), "(32,17):(17,1): 112 (112), 544");
}

TEST(suggest, what_is_well_stays) {
  EXPECT_EQ(answer({"(64,64):(65,1)", kByColumns, kByRows}), "(64,64):(65,1): 256 (256), 4159");
  EXPECT_EQ(answer({"(64,64):(64,1)", kByRows}), "(64,64):(64,1): 128 (128), 4096");
  EXPECT_EQ(answer({"64:1", {"32:1"}}), "64:1: 2 (2), 64");
  EXPECT_EQ(answer({"1:0", {"1:0"}}), "1:0: 1 (1), 1");
}

TEST(suggest, a_swizzle_is_taken_off_first) {
  EXPECT_EQ(answer({"Swizzle<5,0,6> o (64,64):(64,1)", kByRows}), "(64,64):(64,1): 128 (128), 4096");
  EXPECT_EQ(answer({"Swizzle<2,0,6> o (64,64):(64,1)", kByColumns, kByRows}), "Sw<5,0,6> o _0 o (64,64):(64,1): 256 (256), 4096");
}

TEST(suggest, a_swizzle_that_takes_no_more_memory_is_better_than_padding) {
  EXPECT_EQ(answer({"(32,32):(32,1)", kByColumns, kByRows}), "Sw<5,0,5> o _0 o (32,32):(32,1): 64 (64), 1024");
  EXPECT_EQ(answer({"(40,40):(40,1)", kByColumns, kByRows}), "Sw<3,0,5> o _0 o (40,40):(40,1): 160 (160), 1600");
  EXPECT_EQ(answer({"((4,8),32):((1,128),4)", kByColumns, kByRows}).substr(0, 2), "Sw");
}

TEST(suggest, padding_where_no_swizzle_helps) {
  question const bytes{"(12,12):(12,1)", {"(12,8):(1,12)"}, kByRows, 1},
      halves{"(32,40):(40,1)", kByColumns, {"(8,20):(20,1)"}, 2};
  EXPECT_EQ(answer(bytes), "(12,12):(15,1): 17 (17), 177");
  EXPECT_EQ(answer(halves), "(32,40):(42,1): 80 (80), 1342");
  EXPECT_EQ(wavefronts("(32,40):(40,1)", halves), 216);
}

TEST(suggest, vectors_stay_whole) {
  EXPECT_EQ(answer({"(32,32):(32,1)", {"(32,8):(1,32)", "(1,4)", 16}}), "Sw<3,2,3> o _0 o (32,32):(32,1): 32 (32), 1024");
  EXPECT_EQ(answer({"(32,32):(33,1)", {"(32,8):(1,32)", "(1,4)", 16}}), "(32,32):(36,1): 32 (32), 1148");
}

TEST(suggest, no_promise_where_none_is_without_conflicts) {
  auto const found = suggested({"(4,8):(32,1024)", {"(4,8):(1,4)"}});
  EXPECT_EQ(found.wavefronts, 4);
  EXPECT_EQ(found.ideal_wavefronts, 1);
  EXPECT_EQ(answer({"(64,64):(64,1)", {"(32,8):(1,32)", "(1,4)", 16}, {"(64,4):(1,64)"}}),
            "Sw<3,2,4> o _0 o (64,64):(64,1): 640 (256), 4096");
}

/// The code's layout, which stands in the test as well, is the suggested one at every coordinate.
template <class Layout>
void expect_code(question const& asked, std::string const& code, Layout const& layout) {
  auto const found = suggested(asked);
  EXPECT_EQ(found.code, "auto const layout = " + code + ";");
  auto const mine = parse_layout("layout", found.layout);
  ASSERT_EQ(mine.extents(), (std::vector<std::int64_t>{cute::size<0>(layout), cute::size<1>(layout)}));
  for (int r = 0; r < cute::size<0>(layout); ++r)
    for (int c = 0; c < cute::size<1>(layout); ++c)
      ASSERT_EQ(std::int64_t(layout(r, c)), mine(r + c * mine.extents().front())) << r << "," << c;
}
#define EXPECT_CODE(question, ...) expect_code(question, #__VA_ARGS__, __VA_ARGS__)

TEST(suggest, the_code_is_the_layout) {
  using namespace cute;
  EXPECT_CODE((question{"(64,64):(64,1)", kByColumns, kByRows}),
              composition(Swizzle<5, 0, 6>{}, Layout<Shape<_64, _64>, Stride<_64, _1>>{}));
  EXPECT_CODE((question{"(32,40):(40,1)", kByColumns, {"(8,20):(20,1)"}, 2}), Layout<Shape<_32, Int<40>>, Stride<Int<42>, _1>>{});
  EXPECT_CODE(
      (question{"((4,8),(2,16)):((1,128),(64,4))", kByColumns, kByRows}),
      composition(Swizzle<5, 0, 5>{}, Layout<Shape<Shape<_4, _8>, Shape<_2, _16>>, Stride<Stride<_1, _128>, Stride<_64, _4>>>{}));
  EXPECT_EQ(suggested({"64:1", {"32:1"}}).code, "auto const layout = Layout<_64, _1>{};");
}

TEST(suggest, the_call_that_stores_such_tiles) {
  auto const call = [](std::string_view layout, int size) { return rearrange_code_of(parse_layout("layout", layout), size); };
  EXPECT_EQ(call("Sw<3,3,3> o (64,64):(64,1)", 2),
            "cornerturn.rearrange(x, \"(m a) (k b) -> m k | a b\", a=64, b=64, swizzle=\"Sw<3,4,3>\")");
  EXPECT_EQ(call("Sw<2,2,-3> o (32,8,4):(1,32,256)", 4),
            "cornerturn.rearrange(x, \"(m a) (k b) (i c) -> m k i | c b a\", a=32, b=8, c=4, swizzle=\"Sw<2,4,-3>\")");
  for (auto const layout : {"(64,64):(64,1)", "Sw<3,2,3> o (64,64):(64,1)", "Sw<3,3,3> o 8 o (64,64):(64,1)",
                            "Sw<3,3,3> o (64,64):(72,1)", "Sw<3,3,3> o (64,48):(64,1)", "Sw<3,3,3> o ((8,8),64):((64,512),1)"})
    EXPECT_EQ(call(layout, 2), "") << layout;
}

std::string suggestion_for(layout_options const& options) { return suggest_layout(options).layout; }
std::string reading_of(layout_options const& options) { return explain_layout(options).layout; }

std::string refusal(question const& asked, std::string (*answer_to)(layout_options const&) = suggestion_for) {
  return test::message_of([&] { answer_to({asked.layout, asked.store, asked.load, asked.element_size}); });
}

TEST(suggest, what_cannot_be_searched_is_named) {
  EXPECT_EQ(refusal({"64:2 o (8,8)", {"8"}}),
            "layout is '64:2 o (8,8):(_1,8)'; it must be a single layout, swizzled or not, for a suggestion");
  EXPECT_EQ(
      refusal({"(64,64):(1,64)", {"(64,4):(1,64)", "(1,4)", 16}}),
      "layout is '(64,64):(1,64)'; it must be one where the 16 bytes of a vector are contiguous, if need be after padding or "
      "a swizzle, for a suggestion");
}

TEST(suggest, what_no_block_has_memory_for_is_refused) {
  auto const at_most = "; it must be at most 232448 for a suggestion, a block's shared memory of 227 KiB";
  EXPECT_EQ(refusal({"(512,512):(512,1)", kByColumns, kByRows}), std::string("the layout's size in bytes is 1048576") + at_most);
  EXPECT_EQ(refusal({"(227,256):(257,1)", kByColumns}), std::string("the layout's size in bytes is 233352") + at_most);
  EXPECT_LE(suggested({"(227,256):(256,1)", kByColumns}).elements * 4, 232448);  // full: padding has no room
}

struct wrong_question {
  std::string layout;
  side store;
  std::string message;
  side load = kNone;
  int element_size = 4;
};

TEST(suggest, mistakes_are_named_as_explain_names_them) {
  std::string const element = "; it must be 1, 2, 4, 8 or 16 bytes",
                    vector = "; it must be a power of two from the element size, 4, to 16 bytes", tile = "(8,8)",
                    direction = "; it leads from coordinates of the tile to threads";
  auto const once = [&](int last) {
    return "; it must be a layout that gives each number from 0 to " + std::to_string(last) + " once" + direction;
  };
  for (auto const& [layout, store, message, load, size] : std::vector<wrong_question>{
           {tile, {"8"}, "element is 3" + element, {""}, 3},
           {tile, {"8"}, "element is 32" + element, {""}, 32},
           {tile, {"8", "", 3}, "store_vector is 3" + vector},
           {tile, {"8", "", 32}, "store_vector is 32" + vector},
           {tile, {"8", "", -4}, "store_vector is -4" + vector},
           {tile, {"8"}, "load_vector is 32" + vector, {"8", "", 32}},
           {tile, {"8", "(1,6)", 16}, "store_vector is 16 bytes; it must be a divisor of a thread's 24 bytes, 6 values"},
           {tile, {"8"}, "load_vector is 8 bytes; it must be a divisor of a thread's 4 bytes, 1 value", {"8", "", 8}},
           {tile, {"(4,8):(1,0)"}, "store_threads is '(4,8):(1,0)', which gives 0 at (0,0) and at (0,1)" + once(31)},
           {tile, {"(4,8):(1,8)"}, "store_threads is '(4,8):(1,8)', which gives 32 at (0,4)" + once(31)},
           {tile, {"4:-1"}, "store_threads is '4:-1', which gives -1 at (1,0)" + once(3)},
           {tile, {"8"}, "load_threads is '4:2', which gives 4 at (2,0)" + once(3), {"4:2"}},
           {tile, {"(2,2,2)"}, "the rank of store_threads is 3; it must be at most the tile's, 2" + direction},
           {"64", {"(8,8)"}, "the rank of store_threads is 2; it must be at most the tile's, 1" + direction},
           {"(4,4):(1,-4)",
            {"4"},
            "layout is '(4,4):(1,-4)'; it must be one whose offsets are 0 or more; mode 1, 4:-4, goes down to -12"},
           {"(4,4):(1,-4) o (4,4)",
            {"4"},
            "layout is '(4,4):(1,-4) o (4,4)'; it must be one whose offsets are 0 or more; one is -12"},
           {"(3,3)", {"1", "(4,1)", 16}, "store_vector is 16 bytes; it must be short enough that one access is within the tile"},
           {"(1024,512)", {"32"}, "the layout's size is 524288; it must be at most 262144 elements"},
           {tile, {"1025"}, "the size of store_threads is 1025; it must be at most 1024"},
           {tile, {"8", "262145"}, "the size of store_values is 262145; it must be at most 262144"},
           {"(8,8", {"8"}, "layout '(8,8' is wrong at its end: ',' or ')' is expected"},
           {tile,
            {"8", "x"},
            "store_values 'x' is wrong at character 1, 'x': an unknown word; Swizzle, Sw, S, Int, C, Layout, Shape, Stride, "
            "composition and o are known"},
           {tile, {"8"}, "load_threads '8)' is wrong at character 2, ')': a ')' without its '('", {"8)"}},
       }) {
    EXPECT_EQ(refusal({layout, store, load, size}), message);
    EXPECT_EQ(refusal({layout, store, load, size}, reading_of), message);
  }
}

}  // namespace
}  // namespace cornerturn
