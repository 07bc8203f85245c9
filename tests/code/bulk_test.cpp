#include "cornerturn/code.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "support/message.hpp"

namespace cornerturn {
namespace {

std::string refusal_of(std::string const& code) {
  return test::message_of([&] { explain_code(code); });
}

TEST(bulk, boxes_of_tma_have_rows_instead_of_lanes) {
  std::string const tile = "__shared__ half tile[64][64]; __device__ half map[1024][1000];\n";
  std::string const load = "if (lane == 0) cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, &map, 960, 1000, bar);";
  auto const each = explain_code(tile + load);
  ASSERT_EQ(each.instructions.size(), 1u);
  auto const& box = each.instructions[0];
  EXPECT_TRUE(box.box && !box.store && box.space == memory_space::global);
  EXPECT_EQ(box.requests, 1);
  EXPECT_EQ(box.active_lanes, 24);  // rows within the tensor
  EXPECT_EQ(box.bytes, 80);         // and the part of them that is
  EXPECT_EQ(box.bytes_needed, 24 * 80);
  EXPECT_EQ(box.samples[0].lanes[0].address, (1000 * 1000 + 960) * 2);
  auto const store = explain_code(tile + "if (lane == 0) cp_async_bulk_tensor_2d_shared_to_global(&map, 64, 8, &tile[0][0]);");
  EXPECT_TRUE(store.instructions[0].box && store.instructions[0].store);
  EXPECT_EQ(store.instructions[0].active_lanes, 64);
  EXPECT_EQ(
      explain_code(tile + "if (lane == 0) cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_cluster, cuda::ptx::space_global, "
                          "&tile, &map, {960, 1000}, &bar);")
          .instructions[0]
          .bytes_needed,
      24 * 80);
  EXPECT_NE(refusal_of("float s[9]; f(" + std::string(100, '{')).find("nest 64 deep at most"), std::string::npos);
  // the outer extents of a tile are its stages, and each thread that gets there copies a box
  EXPECT_EQ(explain_code("__shared__ float t[2][8][32]; __device__ float m[64][64]; if (lane < 2) tma_load(&t[lane], &m, 0, 0);")
                .instructions[0]
                .requests,
            2);
  EXPECT_EQ(explain_code("__shared__ float t[4][2][8]; __device__ float m[8][8][8]; if (lane == 0) tma_load(t, m, 0, 7, 2)")
                .instructions[0]
                .sectors,
            4);
}

TEST(bulk, bytes_in_a_row_by_tma_are_one_row) {
  auto const each = explain_code(
      "__shared__ float s[4][32]; float* in; if (lane < 4) cp_async_bulk_global_to_shared(&s[lane][0], &in[lane * 1000], 128, "
      "bar)");
  EXPECT_TRUE(each.instructions[0].box);
  EXPECT_EQ(each.instructions[0].requests, 4);
  EXPECT_EQ(each.instructions[0].sectors, 16);
}

TEST(bulk, a_tile_of_boxes_gets_swizzles_of_tma_only) {
  std::string const load = "; __device__ half map[1024][1024]; if (lane == 0) tma_load(&s, &map, 0, 0);\ns[lane][0]";
  auto const found = suggest_code("__shared__ half s[64][64]" + load);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].tma_swizzle, 128);
  EXPECT_FALSE(found[0].padding || found[0].tma);
  EXPECT_TRUE(explain_code("__shared__ half s[64][64]" + load).findings.at(0).text.ends_with("; give the tile a swizzle of TMA"));
  EXPECT_TRUE(suggest_code("__shared__ half s[64][72]" + load).empty());  // rows longer than a mode
  EXPECT_TRUE(
      suggest_code("__shared__ half s[64][64]; half* in; if (lane == 0) cp_async_bulk(&s[0][0], in, 8192);\ns[lane][0]").empty());
}

TEST(bulk, a_copy_that_tma_has_not_is_refused) {
  for (auto const& [code, told] :
       {std::pair("float t[8][32]; float* m; tma_load(t, m, 0, 0)",
                  "the extents of m are not known; declare the tensor as an array"),
        {"float t[8][32]; __device__ float m[64][64]; tma_load(t, m, 0)", "m has 2 coordinates"},
        {"float t[8][32]; __device__ float m[64][64]; tma_load(t, m, 0, x)", "the value of 'x' is not known"},
        {"float t[32]; __device__ float m[64][64]; tma_load(t, m, 0, 0)", "t has 1 extents; a box of m has 2"},
        {"half t[8][32]; __device__ float m[64][64]; tma_load(t, m, 0, 0)", "the elements of t and m differ in size"},
        {"float t[8][33]; __device__ float m[64][64]; tma_load(t, m, 0, 0)",
         "rows of 1056 bits; TMA moves rows of multiples of 16"},
        {"float t[8][32]; __device__ float m[64][65]; tma_load(t, m, 0, 0)", "rows of 2080 bits"},
        {"float t[512][4]; __device__ float m[64][64]; tma_load(t, m, 0, 0)", "an extent of 512 of a box; it must be 1 to 256"},
        {"float t[4][4][4]; __device__ float m[64][64]; tma_load(&t[1], m, 0, 0)", "a box begins at a multiple of 128 bytes"},
        {"float t[8][32]; tma_load(t, t, 0, 0)", "a tile in shared memory and a tensor in global memory are expected"},
        {"float t[32]; float* in; cp_async_bulk(t, in, 20)", "must be multiples of 16"},
        {"float t[32]; float* in; cp_async_bulk(t, in, 0)", "a copy of 0 bytes"},
        {"float t[32]; float* in; cp_async_bulk(t, in)", "a number of bytes is expected"}})
    EXPECT_NE(refusal_of(code).find(told), std::string::npos) << code << "\n" << refusal_of(code);
}

}  // namespace
}  // namespace cornerturn
