#include "explain/python_code.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "cornerturn/layout.hpp"
#include "cornerturn/tile.cuh"
#include "layout/notation.hpp"
#include "layout/triton.hpp"

namespace cornerturn {
namespace {

std::string cute_dsl(std::string const& layout) { return cute_dsl_code_of(parse_layout("layout", layout)); }

TEST(python_code, is_a_statement_for_cute_dsl) {
  EXPECT_EQ(cute_dsl("Sw<5,0,6> o (64,64):(64,1)"),
            "layout = cute.make_composed_layout(cute.make_swizzle(5, 0, 6), 0, cute.make_layout((64, 64), stride=(64, 1)))");
  EXPECT_EQ(cute_dsl("(32,(4,8)):(33,(1,4))"), "layout = cute.make_layout((32, (4, 8)), stride=(33, (1, 4)))");
  EXPECT_EQ(cute_dsl("64:1"), "layout = cute.make_layout(64, stride=1)");
  EXPECT_EQ(cute_dsl("(64):(1)"), "layout = cute.make_layout((64,), stride=(1,))");
}

/// Gluon's layout without the name before it.
std::string gluon(std::string const& text, int element_size) {
  auto const code = gluon_code_of(parse_layout("layout", text), element_size);
  std::string const name = "layout: gl.constexpr = gl.";
  return code.starts_with(name) ? code.substr(name.size()) : code;
}

TEST(python_code, prefers_layouts_that_tma_takes_then_phases_then_bases) {
  EXPECT_EQ(gluon("(64,64):(64,1)", 4), "SwizzledSharedLayout(1, 1, 1, [1, 0])");
  EXPECT_EQ(gluon("64:1", 4), "SwizzledSharedLayout(1, 1, 1, [0])");
  EXPECT_EQ(gluon("(64,1,32):(1,0,64)", 4), "SwizzledSharedLayout(1, 1, 1, [0, 2, 1])");
  EXPECT_EQ(gluon("Sw<5,0,6> o (64,64):(64,1)", 4), "SwizzledSharedLayout(1, 1, 32, [1, 0])");
  EXPECT_EQ(gluon("Sw<3,2,6> o (64,64):(1,64)", 4), "SwizzledSharedLayout(4, 4, 8, [0, 1])");
  EXPECT_EQ(gluon("Sw<3,3,3> o (64,64):(64,1)", 2), "NVMMASharedLayout(128, 16, 2, False)");
  EXPECT_EQ(gluon("Sw<2,4,3> o (64,32):(1,64)", 1), "NVMMASharedLayout(64, 8, 2, True)");
  EXPECT_EQ(gluon("Sw<1,1,3> o (2,8,4):(32,4,1)", 8), "NVMMASharedLayout(32, 64, 3, False)");
  EXPECT_EQ(gluon("Sw<2,0,-2> o (4,4):(4,1)", 4), "SharedLinearLayout([[1, 1], [2, 2], [1, 0], [2, 0]])");
  EXPECT_EQ(gluon("((4,8),32):((1,128),4)", 4),
            "SharedLinearLayout([[1, 0], [2, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [4, 0], [8, 0], [16, 0]])");
}

TEST(python_code, has_paddings_of_powers_of_two) {
  EXPECT_EQ(gluon("(64,64):(65,1)", 4), "PaddedSharedLayout.with_identity_for([[64, 1]], [64, 64], [1, 0])");
  EXPECT_EQ(gluon("(8,4,4):(1,9,40)", 4), "PaddedSharedLayout.with_identity_for([[8, 1], [32, 4]], [8, 4, 4], [0, 1, 2])");
  EXPECT_EQ(gluon("((2,4),4):((1,10),2)", 4),
            "PaddedSharedLayout([[8, 2]], [[1, 0], [0, 1], [0, 2], [2, 0], [4, 0]], [], [8, 4])");
}

TEST(python_code, says_nothing_that_gluon_does_not_have) {
  for (auto const* const none :
       {"(64,48):(48,1)", "(64,64):(67,1)", "(4,4):(16,1)", "(64,64):(1,1)", "Sw<2,0,3> o (8,4):(8,1)", "1:0"})
    EXPECT_EQ(gluon(none, 4), "") << none;
  EXPECT_EQ(gluon("(64,64):(64,1)", 16), "");
}

/// Compares Gluon's layout with a given one at each element.
template <class Offset>
void expect_same(std::string const& layout, Offset const& offset, int element_size) {
  auto const expression = parse_layout("layout", layout);
  auto const code = gluon(layout, element_size);
  auto const shape = fmt::format("[{}], ", fmt::join(expression.extents(), ", "));
  auto const theirs = parse_triton_tile("layout", shape + code, element_size).layout;
  int differences = 0;
  for (std::int64_t i = 0; i < expression.size(); ++i) differences += theirs(i) != offset(i) || expression(i) != offset(i);
  EXPECT_EQ(differences, 0) << layout << " is not " << code;
}

TEST(python_code, has_the_offsets_of_suggestions) {
  for (int const rows : {8, 32, 64})
    for (int const columns : {16, 32, 128})
      for (int const element_size : {1, 2, 4, 8})
        for (bool const is_tma : {false, true})
          for (int const vector : {1, 16 / element_size}) {
            layout_options const options{.layout = fmt::format("({0},{1}):({1},1)", rows, columns),
                                         .store = {fmt::format("({},1)", std::min(rows, 32))},
                                         .load = {fmt::format("(1,{})", std::min(columns / vector, 32)),
                                                  fmt::format("(1,{})", vector), vector * element_size},
                                         .element_size = element_size,
                                         .tma_swizzles = is_tma};
            auto const found = suggest_layout(options);
            expect_same(found.layout, parse_layout("layout", found.layout), element_size);
            EXPECT_EQ(found.gluon_code, gluon_code_of(parse_layout("layout", found.layout), element_size));
          }
}

TEST(python_code, has_the_offsets_of_tiles_of_the_header) {
  for (int const element_size : {1, 2, 4, 8})
    for (int const rows : {16, 32, 64, 128})
      for (int const columns : {16, 64, 128})
        for (int const threads : {32, 256}) {
          auto const scheme = tile::detail::choose(element_size, rows, columns, threads);
          auto const [bits, base, shift] = scheme.swizzle;
          auto const layout = fmt::format("Sw<{},{},{}> o ({},{}):(1,{})", bits, base, shift, rows, columns, scheme.pitch);
          if (scheme.pitch == rows)
            expect_same(
                layout, [&](std::int64_t i) { return scheme.offset(int(i) % rows, int(i) / rows); }, element_size);
        }
}

}  // namespace
}  // namespace cornerturn
