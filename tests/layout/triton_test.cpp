#include "layout/triton.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cornerturn/layout.hpp"
#include "support/message.hpp"

namespace cornerturn {
namespace {

std::string parsed(std::string const& text) { return to_string(parse_triton_tile("layout", text, 0).layout); }

/// The linear elements (row-major numbers) of a matrix in the order in which they are in shared memory.
std::vector<std::vector<int>> stored(std::string const& text, int rows, int cols) {
  auto const layout = parse_triton_tile("layout", text, 0).layout;
  std::vector<std::vector<int>> result(std::size_t(rows), std::vector<int>(std::size_t(cols), -1));
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) {
      auto const at = layout(c * rows + r);
      result[std::size_t(at / cols)][std::size_t(at % cols)] = r * cols + c;
    }
  return result;
}
using rows = std::vector<std::vector<int>>;

/// What the documentation of Triton's attribute shows for these parameters.
TEST(triton, swizzled_matrices_are_those_of_its_documentation) {
  EXPECT_EQ(stored("[4, 4], SwizzledSharedLayout(vec=1, per_phase=1, max_phase=4, order=[1, 0])", 4, 4),
            (rows{{0, 1, 2, 3}, {5, 4, 7, 6}, {10, 11, 8, 9}, {15, 14, 13, 12}}));
  EXPECT_EQ(stored("[4, 4], SwizzledSharedLayout(1, 2, 4, [1, 0])", 4, 4),
            (rows{{0, 1, 2, 3}, {4, 5, 6, 7}, {9, 8, 11, 10}, {13, 12, 15, 14}}));
  EXPECT_EQ(stored("[4, 4], #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 2, order = [1, 0]}>", 4, 4),
            (rows{{0, 1, 2, 3}, {5, 4, 7, 6}, {8, 9, 10, 11}, {13, 12, 15, 14}}));
  EXPECT_EQ(stored("[4, 8], gl.SwizzledSharedLayout(2, 1, 4, order=[1, 0])", 4, 8), (rows{{0, 1, 2, 3, 4, 5, 6, 7},
                                                                                          {10, 11, 8, 9, 14, 15, 12, 13},
                                                                                          {20, 21, 22, 23, 16, 17, 18, 19},
                                                                                          {30, 31, 28, 29, 26, 27, 24, 25}}));
  // phases beyond the row have no effect
  EXPECT_EQ(stored("[4, 2], SwizzledSharedLayout(1, 1, 8, [1, 0])", 4, 2), (rows{{0, 1}, {3, 2}, {4, 5}, {7, 6}}));
}

TEST(triton, tiles_are_layouts_of_cute) {
  EXPECT_EQ(parsed("[64, 64], SwizzledSharedLayout(8, 1, 8, [1, 0])"), "Sw<3,3,3> o _0 o (64,64):(64,1)");
  EXPECT_EQ(parsed("[64, 64], SwizzledSharedLayout(1, 1, 1, [0, 1])"), "(64,64):(1,64)");
  EXPECT_EQ(parsed("(32,), SwizzledSharedLayout(1, 1, 1, [0])"), "(32):(1)");
  EXPECT_EQ(parsed("[32, 32], PaddedSharedLayout([[32, 1]], [1, 0])"), "(32,32):(33,1)");
  EXPECT_EQ(parsed("PaddedSharedLayout.with_identity_for([[128, 4]], [16, 64], [1, 0])"), "((2,8),64):((64,132),1)");
  EXPECT_EQ(parsed("[8], gl.PaddedSharedLayout([[2, 1], [4, 2]], order=[0])"), "((2,2,2)):((1,3,8))");
  EXPECT_EQ(parsed("SharedLinearLayout(offset_bases=[[0, 1], [0, 2], [1, 0], [2, 0]])"), "(4,4):(4,1)");
  EXPECT_EQ(parsed("SharedLinearLayout([[0, 1], [0, 2], [1, 1], [2, 2]])"), "Sw<2,0,2> o _0 o (4,4):(4,1)");
  EXPECT_EQ(parsed("gl.allocate_shared_memory(gl.float16, [8, 8], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))"), "(8,8):(8,1)");
  EXPECT_EQ(
      parse_triton_tile("layout", "gl.allocate_shared_memory(gl.bfloat16, [8, 8], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))", 0)
          .element_size,
      2);
}

/// Triton's own bases of these layouts.
TEST(triton, tiles_for_matrix_instructions_are_boxes_of_tma) {
  auto const same = [](std::string const& nvmma, std::string const& bases) {
    EXPECT_EQ(parsed(nvmma), parsed("SharedLinearLayout(" + bases + ")")) << nvmma;
  };
  same("[16, 64], NVMMASharedLayout(swizzle_byte_width=64, element_bitwidth=16)",
       "[[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [0, 32]]");
  same("[2, 8, 64], gl.NVMMASharedLayout(32, 8, rank=3)",
       "[[0, 0, 1], [0, 0, 2], [0, 0, 4], [0, 0, 8], [0, 0, 16], [0, 1, 0], [0, 2, 0], [0, 4, 16], [1, 0, 0], [0, 0, 32]]");
  same("[64, 512], #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>",
       "[[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [4, 1], [8, 2], [16, 4], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128], [32, 0], "
       "[0, 256]]");
  same("[4, 4], NVMMASharedLayout(0, 64, transposed=True)", "[[1, 0], [2, 0], [0, 1], [0, 2]]");
  std::string const widest = "Sw<3,3,3> o _0 o (64,64):(64,1)";
  EXPECT_EQ(parsed("[64, 64], NVMMASharedLayout(128, 16)"), widest);
  EXPECT_EQ(parsed("gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)"), widest);
  EXPECT_EQ(parsed("gl.NVMMASharedLayout.get_default_for([64, 16], gl.float16)"), "Sw<1,3,3> o _0 o (64,16):(16,1)");
  EXPECT_EQ(parsed("gl.NVMMASharedLayout.get_default_for([4, 64], gl.float16)"), "(4,64):(64,1)");
  EXPECT_EQ(parse_triton_tile("layout", "[8, 64], NVMMASharedLayout(64, 8)", 0).element_size, 1);
}

TEST(triton, a_slice_holds_what_its_parent_has_along_the_other_axes) {
  std::string const parent = "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])";
  auto const rows = parse_triton_threads("threads", "gl.SliceLayout(1, gl." + parent + ")", {64});
  EXPECT_EQ(rows.threads, 128);
  EXPECT_EQ(rows.values, 2);
  EXPECT_EQ(rows.elements[2 * 3], 0);  // four lanes hold a row
  EXPECT_EQ(rows.elements[2 * 4], 1);
  EXPECT_EQ(rows.elements[2 * 32 + 1], 8 + 32);
  auto const bases = "DistributedLinearLayout([[32]], [[0], [0], [1], [2], [4]], [[8], [16]], [], [64])";
  EXPECT_EQ(parse_triton_threads("threads", bases, {64}).elements, rows.elements);
  std::string const columns =
      "#ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], "
      "warpsPerCTA = [4, 1], order = [1, 0]}>}>";
  EXPECT_EQ(parse_triton_threads("threads", columns, {16}).elements[4 * 3 + 1], 13);
  auto const of_bases =
      "SliceLayout(0, DistributedLinearLayout([[0, 1]], [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]], [], [], [16, 4]))";
  EXPECT_EQ(parse_triton_threads("threads", of_bases, {4}).elements[2 * 3 + 1], 3);
  auto const twice = "SliceLayout(0, SliceLayout(1, BlockedLayout([1, 1, 2], [1, 4, 8], [1, 1, 1], [2, 1, 0])))";
  EXPECT_EQ(parse_triton_threads("threads", twice, {16}).elements[2 * 5], 10);
}

TEST(triton, threads_hold_elements) {
  auto const held = parse_triton_threads("threads", "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])", {32, 32});
  EXPECT_EQ(held.threads, 128);
  EXPECT_EQ(held.values, 8);
  auto const element = [&](int thread, int value) { return held.elements[std::size_t(thread * 8 + value)]; };
  auto const at = [](std::int64_t row, std::int64_t column) { return row + 32 * column; };
  EXPECT_EQ(element(0, 3), at(0, 3));
  EXPECT_EQ(element(1, 0), at(0, 4));
  EXPECT_EQ(element(4, 0), at(1, 0));
  EXPECT_EQ(element(32, 1), at(8, 1));
  EXPECT_EQ(element(127, 7), at(31, 31));
  EXPECT_EQ(element(0, 4), at(0, 16));  // the layout is repeated along the columns
  // the same by bases, in three notations
  std::string const bases = "[[0, 1], [0, 2], [0, 16]]", lanes = "[[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]",
                    warps = "[[8, 0], [16, 0]]";
  for (auto const& text : {"DistributedLinearLayout(reg_bases=" + bases + ", lane_bases=" + lanes + ", warp_bases=" + warps +
                               ", block_bases=[], shape=[32, 32])",
                           "LinearLayout.from_bases([(\"register\", " + bases + "), (\"lane\", " + lanes + "), (\"warp\", " +
                               warps + "), (\"block\", [])], [\"dim0\", \"dim1\"])",
                           "#ttg.linear<{register = " + bases + ", lane = " + lanes + ", warp = " + warps + ", block = []}>"}) {
    ASSERT_TRUE(is_triton(text));
    EXPECT_EQ(parse_triton_threads("threads", text, {32, 32}).elements, held.elements) << text;
  }
}

TEST(triton, threads_beyond_the_tile_hold_copies) {
  auto const held = parse_triton_threads("threads", "BlockedLayout([1], [32], [2], [0])", {32});
  EXPECT_EQ(held.threads, 64);
  EXPECT_EQ(held.values, 1);
  EXPECT_EQ(held.elements[37], 5);
}

layout_explanation counts(std::string const& tile, std::string const& store, std::string const& load, int vector = 0) {
  return explain_layout(
      {.layout = tile, .store = {.threads = store, .vector = vector}, .load = {.threads = load}, .element_size = 2});
}

TEST(triton, stores_and_loads_are_counted_in_the_widest_vectors) {
  std::string const rows = "BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])",
                    columns = "BlockedLayout([1, 1], [32, 1], [1, 4], [0, 1])";
  auto const plain = counts("[64, 64], SwizzledSharedLayout(1, 1, 1, [1, 0])", rows, columns);
  EXPECT_EQ(plain.instructions[0].bytes, 16);
  EXPECT_EQ(plain.instructions[0].requests, 4 * 2 * 2);
  EXPECT_EQ(plain.instructions[1].bytes, 2);
  // the same by CuTe's layouts
  auto const cute = explain_layout(
      {.layout = "(64,64):(64,1)", .store = {.threads = "(16,8):(8,1)", .values = "(1,8)", .vector = 16}, .element_size = 2});
  EXPECT_EQ(plain.instructions[0].wavefronts, cute.instructions[0].wavefronts);
  EXPECT_EQ(plain.instructions[0].sectors, cute.instructions[0].sectors);
  auto const swizzled = counts("[64, 64], SwizzledSharedLayout(8, 1, 8, [1, 0])", rows, columns);
  EXPECT_EQ(swizzled.layout, "Sw<3,3,3> o _0 o (64,64):(64,1)");
  EXPECT_LT(swizzled.instructions[1].wavefronts, plain.instructions[1].wavefronts);
  EXPECT_EQ(swizzled.instructions[0].wavefronts, swizzled.instructions[0].ideal_wavefronts);
  // a swizzle of single elements takes vectors apart
  EXPECT_EQ(counts("[64, 64], SwizzledSharedLayout(1, 1, 8, [1, 0])", rows, "").instructions[0].bytes, 2);
  EXPECT_EQ(counts("[64, 64], SwizzledSharedLayout(1, 1, 1, [1, 0])", rows, "", 4).instructions[0].bytes, 4);
  EXPECT_EQ(counts("[64, 64], PaddedSharedLayout([[64, 4]], [1, 0])", rows, "").instructions[0].bytes, 8);  // rows of 136 bytes
  // a tile of CuTe with threads of Triton, and a suggestion
  layout_options const mixed{
      .layout = "(64,64):(64,1)", .store = {.threads = rows}, .load = {.threads = columns}, .element_size = 2};
  EXPECT_EQ(explain_layout(mixed).instructions[1].wavefronts, plain.instructions[1].wavefronts);
  auto const found = suggest_layout(mixed);
  EXPECT_LT(found.wavefronts, plain.instructions[0].wavefronts + plain.instructions[1].wavefronts);
}

std::string refused_tile(std::string const& text) {
  return test::message_of([&] { parse_triton_tile("layout", text, 0); });
}
std::string refused_threads(std::string const& text, std::vector<std::int64_t> const& extents = {32, 32}) {
  return test::message_of([&] { parse_triton_threads("threads", text, extents); });
}
bool ends(std::string const& text, std::string const& end) { return text.ends_with(end); }

TEST(triton, what_is_wrong_is_told_with_its_place) {
  EXPECT_EQ(refused_tile("[64, 64], SwizzledSharedLayout(3, 1, 8, [1, 0])"),
            "layout '[64, 64], SwizzledSharedLayout(3, 1, 8, [1, 0])' is wrong at character 32, '3': a power of two up to 262144 "
            "is expected");
  for (auto const& [text, end] :
       {std::pair("SwizzledSharedLayout(8, 1, 8, [1, 0])", "the shape is expected, [64, 64], say, before it"),
        {"[64, 48], SwizzledSharedLayout(8, 1, 8, [1, 0])", "a power of two up to 262144 is expected"},
        {"[64, 64], SwizzledSharedLayout(8, 1, 8, [1, 1])", "a list with each axis from 0 to 1 is expected"},
        {"[64, 64], SwizzledSharedLayout(8, 1, 8)", "'order' is expected"},
        {"[64, 64], SwizzledSharedLayout(8, 1, 8, [1, 0]", "')' is expected"},
        {"[64, 64], BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])",
         "SwizzledSharedLayout, NVMMASharedLayout, PaddedSharedLayout or SharedLinearLayout is expected"},
        {"[], SwizzledSharedLayout(1, 1, 1, [])", "a shape of at least one axis is expected"},
        {"[], NVMMASharedLayout(128, 16)", "a shape of at least one axis is expected"},
        {"NVMMASharedLayout.get_default_for([], gl.float16)", "a shape of at least one axis is expected"},
        {"[64, 64], NVMMASharedLayout(16, 16)", "0, 32, 64 or 128 is expected"},
        {"[64, 64], NVMMASharedLayout(128, 4)", "8, 16, 32 or 64 is expected"},
        {"[64, 32], NVMMASharedLayout(128, 16)", "a tile of at least 8 rows of 128 bytes is expected"},
        {"[4, 64], NVMMASharedLayout(128, 16)", "a tile of at least 8 rows of 128 bytes is expected"},
        {"[64, 128], NVMMASharedLayout(128, 8, fp4_padded=True)", "a layout without fp4_padded is expected"},
        {"[8, 8, 64], NVMMASharedLayout(32, 8, 3, True)", "at most two axes are expected if it is transposed"},
        {"SharedLinearLayout([[0, 1], [0, 2], [1, 0]], [])", ""},
        {"SharedLinearLayout([[1], [2], [3]])", "as many bases as the index of an element has bits, 2, are expected"},
        {"SharedLinearLayout([[1], [1]])", ""},
        {"[8], SharedLinearLayout([[1], [2]])", "the shape of the bases, [4], is expected"},
        {"SharedLinearLayout([[1], [3], [6]])", "bases that are a swizzle of CuTe are expected"},
        {"[8, 8], SwizzledSharedLayout(1, 1, 1, [1, 0], cga_layout=[[1, 0]])", "a layout of one block is expected"},
        {"[262144, 262144], SwizzledSharedLayout(1, 1, 1, [1, 0])", "a tile of at most 2^30 elements is expected"},
        {"gl.allocate_shared_memory(gl.int1, [8], SwizzledSharedLayout(1, 1, 1, [0]))",
         "a type of 8, 16, 32 or 64 bits is expected"}})
    EXPECT_TRUE(ends(refused_tile(text), end)) << refused_tile(text);
  EXPECT_TRUE(ends(refused_threads("BlockedLayout([1, 4], [8, 8], [4, 1], [1, 0])"), "32 lanes of a warp are expected"));
  EXPECT_TRUE(ends(refused_threads("BlockedLayout([1, 4], [8, 4], [64, 1], [1, 0])"), "at most 1024 threads are expected"));
  EXPECT_TRUE(ends(refused_threads("BlockedLayout([4], [32], [4], [0])"), "a list of 2 numbers is expected"));
  EXPECT_TRUE(ends(refused_threads("DistributedLinearLayout([[0, 64]], [], [], [], [32, 32])"),
                   "bases within the tile are expected; its extents are 32 x 32"));
  EXPECT_TRUE(ends(refused_threads("SliceLayout(0, x)"),
                   "BlockedLayout, SliceLayout, DistributedLinearLayout or LinearLayout is expected"));
  EXPECT_TRUE(ends(refused_threads("SliceLayout(3, x)"), "an axis of the parent from 0 to 2 is expected"));
  EXPECT_EQ(refused_threads("BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])", {48, 32}),
            "the layout's shape is 48 x 32; it must be powers of two for a layout of Triton");
  EXPECT_EQ(test::message_of([] {
              parse_triton_tile("layout", "gl.allocate_shared_memory(gl.float16, [8], SwizzledSharedLayout(1, 1, 1, [0]))", 4);
            }),
            "layout 'gl.allocate_shared_memory(gl.float16, [8], SwizzledSharedLayout(1, 1, 1, [0]))' is wrong at character 27, "
            "'g': its elements have 2 bytes, and 4 were given");
  EXPECT_NE(refused_tile(std::string(40, '[')).find("nested less deep"), std::string::npos);
}

}  // namespace
}  // namespace cornerturn
