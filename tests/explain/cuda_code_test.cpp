#include "explain/cuda_code.hpp"

#include <gtest/gtest.h>

#include "layout/notation.hpp"

namespace cornerturn {
namespace {

/// Checks the text of the code, and that `offset(i, j)`, which the test has compiled, is the layout's offset of each element.
template <class Offset>
void expect_code(std::string const& layout, std::string const& code, Offset const& offset, int element_size, int vector_bytes) {
  auto const parsed = parse_layout("layout", layout);
  EXPECT_EQ(cuda_code_of(parsed, element_size, vector_bytes), code);
  auto const extents = parsed.extents();
  for (int i = 0; i < extents[0]; ++i)
    for (int j = 0; j < extents[1]; ++j) ASSERT_EQ(offset(i, j), parsed(i + j * extents[0])) << i << "," << j;
}

/// A matrix of `rows` x `pitch` elements, whose element (i, j) is in this row and this column.
#define EXPECT_MATRIX(layout, declared, pitch, row, column)                   \
  expect_code(                                                                \
      layout, declared ";  // element (i, j) is tile[" #row "][" #column "]", \
      [](int i, int j) { return (row) * (pitch) + (column); }, 4, 4)

TEST(cuda_code, of_padded_matrices) {
  EXPECT_MATRIX("(32,32):(33,1)", "__shared__ float tile[32][33]", 33, i, j);
  EXPECT_MATRIX("(64,32):(1,65)", "__shared__ float tile[32][65]", 65, j, i);
}

TEST(cuda_code, of_swizzled_matrices) {
  EXPECT_MATRIX("Swizzle<5,0,5> o (32,32):(32,1)", "__shared__ float tile[32][32]", 32, i, j ^ i);
  EXPECT_MATRIX("Swizzle<5,0,6> o (64,64):(64,1)", "__shared__ float tile[64][64]", 64, i, j ^ (i & 31));
  EXPECT_MATRIX("Swizzle<3,2,6> o (64,64):(1,64)", "__shared__ float tile[64][64]", 64, j, i ^ ((j >> 2 & 7) << 2));
  EXPECT_MATRIX("Swizzle<3,2,4> o (8,64):(64,1)", "__shared__ float tile[8][64]", 64, i, j ^ (i << 2));
}

/// An array of one dimension, whose element (i, j) has this index.
#define EXPECT_INDEX(layout, declared, index) \
  expect_code(                                \
      layout, declared ";  // element (i, j) is tile[" #index "]", [](int i, int j) { return index; }, 2, 2)

TEST(cuda_code, of_other_layouts) {
  EXPECT_INDEX("(8,8):(20,2)", "__shared__ unsigned short tile[155]", i * 20 + j * 2);
  EXPECT_INDEX("((4,8),(2,16)):((1,128),(64,4))", "__shared__ unsigned short tile[1024]",
               i / 4 * 128 + j % 2 * 64 + j / 2 * 4 + i % 4);
  EXPECT_INDEX("((2,(2,2)),3):((1,(16,4)),32)", "__shared__ unsigned short tile[86]",
               j * 32 + i / 2 % 2 * 16 + i / 4 * 4 + i % 2);
}

/// An array of one dimension, whose index a lambda computes.
#define EXPECT_LAMBDA(layout, declared, ...) \
  expect_code(layout, declared ";\nauto const at = " #__VA_ARGS__ ";  // element (i, j) is tile[at(i, j)]", __VA_ARGS__, 8, 16)

TEST(cuda_code, of_swizzles_that_are_none_of_columns) {
  EXPECT_LAMBDA("Swizzle<3,0,5> o (40,40):(40,1)", "__shared__ alignas(16) double tile[1600]", [](int i, int j) {
    int const x = i * 40 + j;
    return x ^ (x >> 5 & 7);
  });
  EXPECT_LAMBDA("Swizzle<2,1,-3> o (16,16):(16,1)", "__shared__ alignas(16) double tile[256]", [](int i, int j) {
    int const x = i * 16 + j;
    return x ^ (x << 3 & 48);
  });
}

TEST(cuda_code, of_one_mode_and_of_many) {
  auto const code = [](std::string const& layout, int size) { return cuda_code_of(parse_layout("layout", layout), size, size); };
  EXPECT_EQ(code("64:1", 1), "__shared__ unsigned char tile[64];  // element (i) is tile[i]");
  EXPECT_EQ(code("1:0", 16), "__shared__ float4 tile[1];  // element (i) is tile[0]");
  EXPECT_EQ(code("(2,3,4):(12,4,1)", 8), "__shared__ double tile[2][3][4];  // element (i, j, k) is tile[i][j][k]");
  EXPECT_EQ(code("(8,32,64):(2080,65,1)", 4), "__shared__ float tile[8][32][65];  // element (i, j, k) is tile[i][j][k]");
  EXPECT_EQ(code("(2,3,4):(1,8,24)", 4), "__shared__ float tile[4][3][8];  // element (i, j, k) is tile[k][j][i]");
  EXPECT_EQ(code("(2,3,4):(12,5,1)", 8), "__shared__ double tile[26];  // element (i, j, k) is tile[i * 12 + j * 5 + k]");
  EXPECT_EQ(code("(2,2,2,2):(8,4,2,1)", 8),
            "__shared__ double tile[2][2][2][2];  // element (i0, i1, i2, i3) is tile[i0][i1][i2][i3]");
}

TEST(cuda_code, of_swizzles_of_many_modes) {
  auto const index = [](std::string const& layout) {
    auto const code = cuda_code_of(parse_layout("layout", layout), 4, 4);
    return code.substr(code.find(" is ") + 4);
  };
  auto const expect = [&](std::string const& layout, std::string const& text, auto const& offset) {
    EXPECT_EQ(index(layout), text) << layout;
    auto const parsed = parse_layout("layout", layout);
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 32; ++j)
        for (int k = 0; k < 64; ++k) ASSERT_EQ(offset(i, j, k), parsed(i + 8 * (j + 32 * k))) << i << "," << j << "," << k;
  };
#define EXPECT_BRICK(layout, last) \
  expect(layout, "tile[i][j][" #last "]", [](int i, int j, int k) { return (i * 32 + j) * 64 + (last); })
  EXPECT_BRICK("Swizzle<1,4,2> o (8,32,64):(2048,64,1)", k ^ ((j & 1) << 4));
  EXPECT_BRICK("Swizzle<5,0,6> o (8,32,64):(2048,64,1)", k ^ j);
  EXPECT_BRICK("Swizzle<3,2,9> o (8,32,64):(2048,64,1)", k ^ (i << 2));
#undef EXPECT_BRICK
  EXPECT_EQ(index("Swizzle<2,0,10> o (8,32,64):(2048,64,1)"), "tile[at(i, j, k)]");  // bits of i and of j
}

TEST(cuda_code, the_last_row_of_a_declared_array_is_whole) {
  auto const elements = [](std::string const& layout) { return declared_elements(parse_layout("layout", layout)); };
  EXPECT_EQ(elements("(32,32):(33,1)"), 32 * 33);
  EXPECT_EQ(elements("(8,32,64):(2080,65,1)"), 8 * 32 * 65);
  EXPECT_EQ(elements("(8,8):(20,2)"), 155);
  EXPECT_EQ(elements("Swizzle<5,0,5> o (32,32):(32,1)"), 1024);
}

}  // namespace
}  // namespace cornerturn
