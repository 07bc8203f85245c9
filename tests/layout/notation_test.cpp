#include "layout/notation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cute/tensor.hpp>

#include "cornerturn/error.hpp"
#include "kernel/rung/smem.hpp"
#include "support/message.hpp"

namespace cornerturn {
namespace {

layout_expression parsed(std::string_view text) { return parse_layout("layout", text); }

std::string rewritten(std::string_view text) { return to_string(parsed(text)); }

std::vector<std::int64_t> values(layout_expression const& layout) {
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < layout.size(); ++i) result.push_back(layout(i));
  return result;
}
std::vector<std::int64_t> values(std::string_view text) { return values(parsed(text)); }

/// What stands behind "layout '...' is wrong at ", where that is there; other messages whole; empty where there is none.
std::string mistake(std::string_view text) {
  auto const message = test::message_of([&] { parsed(text); });
  auto const begin = "layout '" + std::string(text) + "' is wrong at ";
  return message.starts_with(begin) ? message.substr(begin.size()) : message;
}

using ints = std::vector<std::int64_t>;

TEST(notation, layouts_have_their_values) {
  EXPECT_EQ(values("4:1"), (ints{0, 1, 2, 3}));
  EXPECT_EQ(values("4:-3"), (ints{0, -3, -6, -9}));
  EXPECT_EQ(values("(2,3):(3,1)"), (ints{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(values("(2,3):(0,1)"), (ints{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(values("((2,2),2):((1,4),2)"), (ints{0, 1, 4, 5, 2, 3, 6, 7}));
  EXPECT_EQ(values("(((3))):(((5)))"), (ints{0, 5, 10}));
}

TEST(notation, swizzles_xor_behind_their_offset) {
  EXPECT_EQ(values("Swizzle<1,0,1> o 4"), (ints{0, 1, 3, 2}));
  EXPECT_EQ(values("Swizzle<1,0> o 4"), (ints{0, 1, 3, 2}));
  EXPECT_EQ(values("Swizzle<1,0,-1> o 4"), (ints{0, 3, 2, 1}));
  EXPECT_EQ(values("Swizzle<1,0,1> o 2 o 2:1"), (ints{3, 2}));
  EXPECT_EQ(values("Sw<1,0,1> o 1 o Sw<1,0,-1> o 3"), (ints{1, 4, 2}));
  EXPECT_EQ(values("Swizzle<0,4,3> o 3"), (ints{0, 1, 2}));
}

TEST(notation, layouts_compose_from_right_to_left) {
  EXPECT_EQ(values("(2,4):(10,1) o 4:2"), (ints{0, 1, 2, 3}));
  EXPECT_EQ(values("(2,4):(10,1) o (4,2):(1,4)"), values("(2,4):(10,1)"));
  EXPECT_EQ(values("(2,4):(10,1) o Sw<1,0,1> o 3"), (ints{0, 10, 11}));
  EXPECT_EQ(values("8:3 o 4:2 o 2:3"), (ints{0, 18}));
  EXPECT_EQ(parsed("(2,4):(10,1) o (4,2):(1,4)").extents(), (ints{4, 2}));
}

TEST(notation, an_integer_behind_a_swizzle_is_an_offset_only_before_an_o) {
  EXPECT_EQ(rewritten("Sw<1,0,1> o 4 o 8:1"), "Sw<1,0,1> o 4 o 8:1");
  EXPECT_EQ(rewritten("Sw<1,0,1> o _4:1"), "Sw<1,0,1> o _0 o _4:1");
  EXPECT_EQ(rewritten("Sw<1,0,1> o 4"), "Sw<1,0,1> o _0 o 4:_1");
  EXPECT_EQ(rewritten("Sw<1,0,1> o 0 o 8 o 4:2"), "Sw<1,0,1> o 0 o 8:_1 o 4:2");
  EXPECT_EQ(rewritten("Sw<1,0,1> o Sw<2,0,2> o 8 o 4"), "Sw<1,0,1> o _0 o Sw<2,0,2> o 8 o 4:_1");
}

TEST(notation, spellings_and_blanks_do_not_matter) {
  for (auto const* text :
       {"(_64,_32):(_1,_64)", "(Int<64>,Int<32>{}):(C<1>,C<64>{})", "( _64{ } , Int < 32 > { } )", " (_64,_32)\t:\n(_1,_64) "}) {
    EXPECT_EQ(rewritten(text), "(_64,_32):(_1,_64)") << text;
  }
  for (auto const* text : {"Swizzle<3,2,6> o (8,64):(64,1)", "Sw<3,2,6> o (8,64):(64,1)", "S<3,2,6>o(8,64):(64,1)",
                           "Swizzle < 3 , 2 , 6 > { } o C<0> o (8,64) : (64,1)"}) {
    EXPECT_EQ(rewritten(text), "Sw<3,2,6> o _0 o (8,64):(64,1)") << text;
  }
  EXPECT_EQ(rewritten("007:-0"), "7:0");
}

TEST(notation, rank_extents_and_sizes_are_those_of_the_domain) {
  auto const nested = parsed("((2,4),8):((1,16),2)");
  EXPECT_EQ(nested.extents(), (ints{8, 8}));
  EXPECT_EQ(nested.size(), 64);
  EXPECT_EQ(nested.cosize(), 64);
  EXPECT_EQ(parsed("7:2").extents(), (ints{7}));
  EXPECT_EQ(parsed("7:2").cosize(), 13);
  for (std::int64_t i = 0; i < 8; ++i) {
    for (std::int64_t j = 0; j < 8; ++j) EXPECT_EQ(nested(i + 8 * j), i % 2 + i / 2 * 16 + j * 2);
  }
}

TEST(notation, the_range_of_offsets_is_the_true_one) {
  auto const range = [](auto const* text) {
    auto const [low, high] = parsed(text).offsets();
    return ints{low, high};
  };
  EXPECT_EQ(range("(4,3):(-2,5)"), (ints{-6, 10}));
  EXPECT_EQ(range("Sw<1,0,1> o 3"), (ints{0, 3}));   // 2 becomes 3
  EXPECT_EQ(range("Sw<1,0,-1> o 2"), (ints{0, 3}));  // 1 becomes 3
  EXPECT_EQ(range("Sw<1,0,2> o (3,2):(1,4)"), (ints{0, 7}));
  EXPECT_EQ(range("9:-1 o 4:2"), (ints{-6, 0}));
  EXPECT_EQ(range("Sw<1,4,2> o 5 o 9"), (ints{5, 13}));
  // too many to look at: bounds
  EXPECT_EQ(range("Sw<1,0,1> o (3000,1000)"), (ints{0, (1 << 22) - 1}));
}

TEST(notation, bounds_too_wide_are_looked_into) {
  EXPECT_EQ(parsed("24 o Sw<1,0,3> o 24").cosize(), 24);
  EXPECT_EQ(parsed("4 o (2,2):(1,-5) o 2").cosize(), 2);
  EXPECT_EQ(parsed("Sw<1,0,30> o 2:1073741823 o 1").cosize(), 1);
}

/// CuTe's print of a layout is understood, and written again to the letter.
template <class Layout>
void expect_understood(Layout const& layout) {
  testing::internal::CaptureStdout();
  cute::print(layout);
  std::string const text = testing::internal::GetCapturedStdout();
  SCOPED_TRACE(text);
  auto const mine = parsed(text);
  EXPECT_EQ(to_string(mine), text);
  EXPECT_EQ(mine, parsed(to_string(mine)));
  ASSERT_EQ(mine.size(), int(cute::size(layout)));
  auto const extents = mine.extents();
  [&]<std::size_t... I>(std::index_sequence<I...>) { EXPECT_EQ(extents, (ints{std::int64_t(cute::size<I>(layout))...})); }
  (std::make_index_sequence<std::size_t(Layout::rank)>());
  for (int i = 0; i < int(mine.size()); ++i) ASSERT_EQ(mine(i), std::int64_t(layout(i))) << i;
  if constexpr (int(Layout::rank) == 2) {
    for (int i = 0; i < extents[0]; ++i) {
      for (int j = 0; j < extents[1]; ++j) ASSERT_EQ(mine(i + j * extents[0]), std::int64_t(layout(i, j)));
    }
  }
}

TEST(notation, what_cute_prints_is_understood) {
  using namespace cute;
  expect_understood(make_layout(Int<64>{}));
  expect_understood(make_layout(64));
  expect_understood(make_layout(make_shape(_8{}, _16{})));
  expect_understood(make_layout(make_shape(_8{}, _16{}), LayoutRight{}));
  expect_understood(make_layout(make_shape(5, 7), make_stride(9, 1)));
  expect_understood(make_layout(make_shape(5, _7{}, 3), make_stride(_1{}, -5, 40L)));
  expect_understood(make_layout(make_shape(make_shape(_2{}, 4), _8{}), make_stride(make_stride(_1{}, 16), Int<-2>{})));
  expect_understood(make_layout(make_shape(make_shape(2, make_shape(_3{}, 2)), make_shape(_4{})),
                                make_stride(make_stride(0, make_stride(_7{}, 2)), make_stride(_0{}))));
  expect_understood(tile_to_shape(make_layout(make_shape(_4{}, _8{})), make_shape(_16{}, _32{})));
  expect_understood(zipped_divide(make_layout(make_shape(_16{}, _32{})), make_shape(_4{}, _8{})));
  expect_understood(composition(Swizzle<3, 2, 6>{}, make_layout(make_shape(_64{}, _64{}), LayoutRight{})));
  expect_understood(composition(Swizzle<2, 3, -4>{}, make_layout(make_shape(_16{}, _64{}))));
  expect_understood(composition(Swizzle<0, 4, 3>{}, _4{}, make_layout(make_shape(_8{}, 8))));
  expect_understood(composition(Swizzle<2, 1, 3>{}, 12, make_layout(make_shape(8, _8{}), make_stride(9, _1{}))));
  expect_understood(tile_to_shape(composition(Swizzle<3, 3, 3>{}, make_layout(make_shape(_8{}, _64{}), LayoutRight{})),
                                  make_shape(_32{}, _128{})));
  expect_understood(composition(composition(Swizzle<3, 2, 6>{}, make_layout(make_shape(_64{}, _64{}), LayoutRight{})),
                                make_layout(make_shape(_32{}, _2{}), make_stride(_64{}, _1{}))));
  expect_understood(make_composed_layout(Swizzle<1, 0, 2>{}, _3{},
                                         make_composed_layout(Swizzle<1, 1, -2>{}, 0, make_layout(make_shape(_4{}, 4)))));
}

/// A tensor with a swizzled pointer: its offsets from the beginning of `memory`, which is aligned to the swizzle's pattern.
template <class Tensor, class T>
void expect_tensor_understood(Tensor const& tensor, T const* memory) {
  testing::internal::CaptureStdout();
  cute::print(tensor);
  std::string const text = testing::internal::GetCapturedStdout();
  SCOPED_TRACE(text);
  auto const [mine, element_size] = parse_tile("layout", text);
  EXPECT_EQ(element_size, int(sizeof(T)));
  ASSERT_EQ(mine.size(), int(cute::size(tensor)));
  for (int i = 0; i < int(mine.size()); ++i) ASSERT_EQ(mine(i), &tensor(i) - memory) << i;
}

TEST(notation, tensors_of_plain_pointers_are_understood) {
  static float memory[64];
  auto const layout = cute::make_layout(cute::make_shape(8, cute::Int<8>{}), cute::make_stride(8, cute::Int<1>{}));
  expect_tensor_understood(cute::make_tensor(&memory[0], layout), memory);
  expect_tensor_understood(cute::make_tensor(cute::make_gmem_ptr(&memory[0]), layout), memory);
  expect_tensor_understood(cute::make_tensor(cute::make_smem_ptr(&memory[0]), layout), memory);
  expect_tensor_understood(cute::make_tensor(cute::make_smem_ptr(&memory[0]), composition(cute::Swizzle<2, 0, 3>{}, layout)),
                           memory);
  EXPECT_EQ(parse_tile("layout", "64").element_size, 4);
  EXPECT_EQ(parse_tile("layout", "ptr[16b](0x7f0012345678) o (8,8):(8,1)", 2).element_size, 2);
}

/// A layout that waits for a pointer to shared memory: its offsets are where CuTe then finds the elements.
template <class T, class Layout>
void expect_understood_of_pointers(Layout const& layout) {
  testing::internal::CaptureStdout();
  cute::print(layout);
  std::string const text = testing::internal::GetCapturedStdout();
  SCOPED_TRACE(text);
  auto const mine = parse_tile("layout", text, sizeof(T)).layout;
  EXPECT_EQ(values(to_string(mine)), values(mine));
  alignas(1024) static T memory[1 << 13];
  auto const tensor = cute::make_tensor(cute::make_smem_ptr(memory), layout);
  ASSERT_EQ(mine.size(), int(cute::size(tensor)));
  for (int i = 0; i < int(mine.size()); ++i) ASSERT_EQ(mine(i), &tensor(i) - memory) << i;
  expect_tensor_understood(tensor, memory);
  expect_tensor_understood(cute::make_tensor(tensor.data() + 48, cute::make_layout(cute::Int<64>{})), memory);
}

TEST(notation, swizzles_of_pointers_are_of_bytes) {
  using namespace cute;
  using in_bits = ComposedLayout<Swizzle<3, 4, 3>, smem_ptr_flag, Layout<Shape<_8, _1024>, Stride<_1024, _1>>>;  // as wgmma's
  expect_understood_of_pointers<std::uint8_t>(upcast<8>(in_bits{}));
  expect_understood_of_pointers<std::uint16_t>(upcast<16>(in_bits{}));
  expect_understood_of_pointers<float>(upcast<32>(in_bits{}));
  expect_understood_of_pointers<double>(tile_to_shape(upcast<64>(in_bits{}), make_shape(_64{}, _64{})));
  expect_understood_of_pointers<std::uint16_t>(
      make_composed_layout(Swizzle<2, 4, -3>{}, smem_ptr_flag_bits<16>{}, make_layout(make_shape(_64{}, _64{}))));
  EXPECT_EQ(to_string(parse_tile("layout", "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)", 2).layout),
            "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)");
}

TEST(notation, pointers_to_other_elements_are_pointed_at) {
  auto const mistake_in = [](std::string const& text) -> std::string {
    try {
      return to_string(parse_tile("layout", text, 2).layout);
    } catch (error const& e) {
      std::string const message = e.what();
      return message.starts_with("layout") ? message.substr(text.size() + 10) : message;
    }
  };
  EXPECT_EQ(mistake_in("Sw<3,4,3> o smem_ptr[32b](unset) o 64"),
            "element is 2; it must be 4, as 'smem_ptr' points to elements of 32 bits");
  EXPECT_EQ(mistake_in("Sw<3,0,3> o smem_ptr[16b](unset) o 64"),
            "is wrong at character 6, '0': it must be 1 or more, as an element has 2 bytes");
  EXPECT_EQ(mistake_in("Sw<3,4,3> o smem_ptr[16](unset) o 64"), "is wrong at character 24, ']': 'b' is expected");
  EXPECT_EQ(mistake_in("Sw<3,4,3> o smem_ptr[16b](0x10) o 64"), "Sw<3,3,3> o _0 o 64:_1");
  EXPECT_EQ(mistake_in("ptr[16b](0x401) o 64"), "is wrong at character 10, '0': it must be a multiple of 2 bytes");
  EXPECT_EQ(mistake_in("gmem_ptr[16b](1024) o 64"),
            "is wrong at character 15, '1024': an address such as 0x400 or 'unset' is expected");
  EXPECT_EQ(mistake_in("Sw<3,4,3>_smem_ptr[32b](0x400) o 64"),
            "element is 2; it must be 4, as '_smem_ptr' points to elements of 32 bits");
  EXPECT_EQ(mistake_in("Sw<3,4,3> o smem_ptr[16b](unset) 64"),
            "is wrong at character 34, '64': 'o' and then a layout is expected");
}

TEST(notation, the_ladders_layouts_are_understood) {
  expect_understood(tile::source_major<float, 64, 64>::type());
  expect_understood(tile::destination_major<double, 32, 16>::type());
  expect_understood(tile::padded<float, 64, 64>::type());
  expect_understood(tile::swizzled<std::uint8_t, 64, 64>::type());
  expect_understood(tile::swizzled<float, 64, 64>::type());
  expect_understood(tile::swizzled<double, 32, 64>::type());
  expect_understood(tile::along_n<64, 64, 256, 4, 1, 8>());
  expect_understood(tile::along_m<64, 64, 256, 4, 8>());
}

TEST(notation, a_shape_alone_is_compact_as_in_cute) {
  auto const expect_default = [](auto const& shape) {
    testing::internal::CaptureStdout();
    cute::print(cute::make_layout(shape));
    std::string const whole = testing::internal::GetCapturedStdout();
    EXPECT_EQ(rewritten(whole.substr(0, whole.find(':'))), whole);
  };
  using namespace cute;
  expect_default(6);
  expect_default(_1{});
  expect_default(make_shape(_2{}, _3{}, 4, _5{}));
  expect_default(make_shape(make_shape(_2{}, _1{}), make_shape(1, _4{}), _1{}));
  expect_default(make_shape(make_shape(3, make_shape(_2{})), _4{}, 5));
}

TEST(notation, text_of_text_is_stable) {
  for (auto const* text :
       {"64", "(2,3):(0,-1)", "8 o 4:2 o 2:3", "Sw<1,0,-1> o 5 o S<2,1> o ((2),3)", "64:2 o Sw<1,0,3> o _2 o 16"}) {
    auto const once = parsed(text);
    EXPECT_EQ(rewritten(to_string(once)), to_string(once));
    EXPECT_EQ(values(rewritten(text)), values(once));
  }
}

TEST(notation, layouts_are_built_from_stages_too) {
  auto stages = parsed("Swizzle<3,2,6> o (64,64):(64,1)").stages();
  std::get<swizzle_stage>(stages[0]).swizzle.base = 1;
  std::get<strided_layout>(stages[1]).stride.items[0].integer.value = 66;
  EXPECT_EQ(to_string(layout_expression(stages)), "Sw<3,1,6> o _0 o (64,64):(66,1)");
  EXPECT_EQ(to_string(layout_expression({stages[1]})), "(64,64):(66,1)");

  auto const refusal = [](std::vector<layout_stage> const& stages) {
    return test::message_of([&] { layout_expression unused(stages); });
  };
  EXPECT_EQ(refusal({}), "stage 1 of the layout is wrong: the last stage must be a layout");
  EXPECT_EQ(refusal({stages[1], stages[0]}), "stage 2 of the layout is wrong: the last stage must be a layout");
  int_tuple const two{{2, false}, {}}, none{{0, false}, {}};
  EXPECT_EQ(refusal({strided_layout{two, {{}, {two}}}}),
            "stage 1 of the layout is wrong: shape and stride are nested differently");
  EXPECT_EQ(refusal({strided_layout{none, two}}),
            "stage 1 of the layout is wrong: extents go from 1 to 2147483647, strides from -2147483647 to 2147483647");
  EXPECT_EQ(refusal({swizzle_stage{{1, 0, 1}, {1LL << 40, false}}, strided_layout{two, two}}),
            "stage 1 of the layout is wrong: the swizzle's offset must be from -2147483647 to 2147483647");
}

struct wrong_text {
  std::string text, mistake;
};

void expect_mistakes(std::vector<wrong_text> const& all) {
  for (auto const& [text, words] : all) EXPECT_EQ(mistake(text), words) << text;
}

TEST(notation, the_code_of_cute_is_understood) {
  EXPECT_EQ(rewritten("composition(Swizzle<5,0,6>{}, Layout<Shape<_64,_64>,Stride<_64,_1>>{})"),
            "Sw<5,0,6> o _0 o (_64,_64):(_64,_1)");
  EXPECT_EQ(rewritten("Layout<Shape<Shape<_4, _8>, Int<40>>, Stride<Stride<_1, _128>, _64>>{}"), "((_4,_8),_40):((_1,_128),_64)");
  EXPECT_EQ(rewritten("Layout<_64, _1>{}"), "_64:_1");
  EXPECT_EQ(rewritten("Layout<Shape<_8, _8>>{}"), "(_8,_8):(_1,_8)");
  expect_mistakes({
      {"composition(Swizzle<5,0,6>{}, 64", "its end: ')' is expected"},
      {"composition(64, 64)", "character 13, '64': a swizzle is expected"},
      {"Layout<Shape<_8,_8>,Stride<_1>>", "character 30, '>': another stride is expected, as the shape has a list of 2 here"},
      {"Layout<Shape<_8,_8)>", "character 19, ')': ',' or '>' is expected"},
      {"Layout<_8,Stride<_1>>", "character 11, 'Stride': one stride is expected, as the shape has no list here"},
  });
}

TEST(notation, broken_syntax_is_pointed_at) {
  expect_mistakes({
      {"", "its end: a layout or a swizzle is expected"},
      {"(64,64:(1,64)", "character 7, ':': ',' or ')' is expected"},
      {"(64,64", "its end: ',' or ')' is expected"},
      {"(64,64):(1,64", "its end: ',' or ')' is expected"},
      {"(64,64):(1 64)", "character 12, '64': ',' or ')' is expected"},
      {"(64,64))", "character 8, ')': a ')' without its '('"},
      {"()", "character 2, ')': an extent or '(' is expected"},
      {"(64,)", "character 5, ')': an extent or '(' is expected"},
      {"64:", "its end: a stride is expected"},
      {"(64,64):(1,)", "character 12, ')': a stride is expected"},
      {":1", "character 1, ':': a layout or a swizzle is expected"},
      {"64 1", "character 4, '1': ':', 'o' or the end is expected"},
      {"64:1:1", "character 5, ':': 'o' or the end is expected"},
      {"64:1 o", "its end: a layout or a swizzle is expected"},
      {"o 64", "character 1, 'o': a layout or a swizzle is expected"},
      {"_", "character 1, '_': an unknown word; Swizzle, Sw, S, Int, C, Layout, Shape, Stride, composition and o are known"},
      {"-", "character 1, '-': a layout or a swizzle is expected"},
      {"64:1 and 2",
       "character 6, 'and': an unknown word; Swizzle, Sw, S, Int, C, Layout, Shape, Stride, composition and o are known"},
      {"(a,b)", "character 2, 'a': an unknown word; Swizzle, Sw, S, Int, C, Layout, Shape, Stride, composition and o are known"},
      {"Sw<3,4,3> o smem_ptr[16b](unset) o 64",
       "character 13, 'smem_ptr': an unknown word; Swizzle, Sw, S, Int, C, Layout, Shape, Stride, composition and o are known"},
      {"(Sw<1,0,1>,4)", "character 2, 'Sw': an extent or '(' is expected"},
      {"Int", "its end: '<' is expected"},
      {"Int<>", "character 5, '>': an integer is expected"},
      {"Int<_4>", "character 5, '_4': an integer is expected"},
      {"C<4", "its end: '>' is expected"},
      {"_4{", "its end: '}' is expected"},
      {"4{}", "character 2, '{': ':', 'o' or the end is expected"},
      {"(4,4):(_1@0,_1@1)", "character 10, '@': a scaled basis makes coordinates, not offsets; strides must be integers"},
      {std::string(17, '(') + "4" + std::string(17, ')'), "character 17, '(': parentheses nest 16 deep at most"},
  });
  EXPECT_EQ(rewritten(std::string(16, '(') + "4" + std::string(16, ')')).find("4"), 16u);
}

TEST(notation, strides_that_do_not_mirror_the_shape_are_pointed_at) {
  expect_mistakes({
      {"64:(1,64)", "character 4, '(': one stride is expected, as the shape has no list here"},
      {"(64):1", "character 6, '1': '(' is expected, as the shape has a list of 1 here"},
      {"(4,(2,2)):(1,2)", "character 14, '2': '(' is expected, as the shape has a list of 2 here"},
      {"(4,4):(1,2,3)", "character 11, ',': ')' is expected, as the shape has a list of 2 here"},
      {"((4,4),4):((1,2,3),4)", "character 16, ',': ')' is expected, as the shape has a list of 2 here"},
      {"(4,4,4):(1,2)", "character 13, ')': another stride is expected, as the shape has a list of 3 here"},
  });
}

TEST(notation, swizzles_that_cute_refuses_are_pointed_at) {
  expect_mistakes({
      {"Sw", "its end: '<' is expected"},
      {"Sw<3,2,6>", "its end: 'o' and then a layout is expected"},
      {"Sw<3,2,6> (64,64)", "character 11, '(': 'o' and then a layout is expected"},
      {"Sw<3,2,6> o", "its end: a layout or a swizzle is expected"},
      {"Sw<3,2,6> o 4 o", "its end: a layout or a swizzle is expected"},
      {"Sw<3,2,6> o 4 Sw", "character 15, 'Sw': ':', 'o' or the end is expected"},
      {"Sw<3> o 64", "character 5, '>': ',' is expected, as a swizzle has bits, base and shift"},
      {"Sw<3,2,6,1> o 64", "character 9, ',': '>' is expected, as a swizzle has bits, base and shift"},
      {"Sw<3,2 6> o 64", "character 8, '6': ',' is expected, as a swizzle has bits, base and shift"},
      {"Sw<3,_2,6> o 64", "character 6, '_2': an integer is expected"},
      {"Sw<,2,6> o 64", "character 4, ',': an integer is expected"},
      {"Sw<-1,2,6> o 64", "character 4, '-1': a swizzle's bits must be 0 or more"},
      {"Sw<1,-2,6> o 64", "character 6, '-2': a swizzle's base must be 0 or more"},
      {"Sw<3,2,2> o 64", "character 8, '2': the shift must be 3 or more, or -3 or less, as the swizzle has 3 bits"},
      {"64 o Sw<3,2,-2> o 64", "character 13, '-2': the shift must be 3 or more, or -3 or less, as the swizzle has 3 bits"},
      {"Sw<3,22,7> o 64", "character 1, 'Sw': the swizzle goes past bit 31: bits, base and shift may add up to 31"},
      {"64 o _0 o 64", "character 6, '_0': an extent must be 1 or more"},
  });
  EXPECT_EQ(rewritten("Sw<3,22,6> o 64"), "Sw<3,22,6> o _0 o 64:_1");
}

TEST(notation, numbers_out_of_range_are_pointed_at) {
  expect_mistakes({
      {"0", "character 1, '0': an extent must be 1 or more"},
      {"(4,_-3)", "character 4, '_-3': an extent must be 1 or more"},
      {"(4,Int<0>)", "character 4, 'Int': an extent must be 1 or more"},
      {"Sw<1,0,1> o 0", "character 13, '0': an extent must be 1 or more"},
      {"2147483648", "character 1, '2147483648': integers go from -2147483647 to 2147483647"},
      {"4:-2147483648", "character 3, '-2147483648': integers go from -2147483647 to 2147483647"},
      {"4:_99999999999999999999999", "character 3, '_9999999999999999999...': integers go from -2147483647 to 2147483647"},
      {"Sw<4294967296,0,0> o 4", "character 4, '4294967296': integers go from -2147483647 to 2147483647"},
      {"(65536,32768)", "character 1, '(': it has more than 2147483647 elements"},
      {"(2147483647,2147483647,2147483647)", "character 1, '(': it has more than 2147483647 elements"},
      {"(2,2):(2147483646,1)", "character 7, '(': the offsets go past 2147483646"},
      {"4 o 2:2147483647", "character 7, '2147483647': the offsets go past 2147483646"},
      {"(2,2):(1,-2147483647)", "character 7, '(': the offsets go below -2147483646"},
      {"(2,3):(-1,2147483647)", "character 7, '(': the offsets go past 2147483646"},
      {"Sw<1,0,30> o 2:1073741824 o 2", ""},
      {"Sw<1,0,30> o 2147483646", "character 1, 'Sw': its offsets may go past 2147483646"},
  });
  EXPECT_EQ(parsed("2147483647").cosize(), 2147483647);
  EXPECT_EQ(parsed("2:2147483646")(1), 2147483646);
}

TEST(notation, stages_that_cannot_be_reached_are_pointed_at) {
  expect_mistakes({
      {"8:1 o 9:1", "character 1, '8': the offsets that come from its right go up to 8; this layout has 8 elements"},
      {"4 o (2,4):(4,1) o 8:1", "character 1, '4': the offsets that come from its right go up to 7; this layout has 4 elements"},
      {"8 o 4:-1", "character 1, '8': the offsets that come from its right go down to -3; they must be 0 or more"},
      {"Sw<1,0,1> o 4:-1", "character 1, 'Sw': the offsets that come from its right go down to -3; they must be 0 or more"},
      {"Sw<1,0,1> o -5 o 4", "character 1, 'Sw': the offsets that come from its right go down to -5; they must be 0 or more"},
      {"Sw<1,0,1> o 2147483647 o 4",
       "character 1, 'Sw': the offsets that come from its right go up to 2147483650; a swizzle takes at most 2147483646"},
      {"3 o Sw<1,0,1> o 4", "character 1, '3': the offsets that come from its right go up to 3; this layout has 3 elements"},
      {"3000000 o Sw<1,0,1> o (3000,1000)",
       "character 1, '3000000': the offsets that come from its right may go up to 4194303; this layout has 3000000 elements"},
  });
}

TEST(notation, messages_are_one_line_of_text) {
  auto const message = [](std::string const& text) { return test::message_of([&] { parse_layout("threads", text); }); };
  EXPECT_EQ(message("4\n\x1b[1m"), "threads '4\\x0a\\x1b[1m' is wrong at character 3, '\\x1b': ':', 'o' or the end is expected");
  EXPECT_EQ(message(std::string("\0", 1)), "threads '\\x00' is wrong at character 1, '\\x00': a layout or a swizzle is expected");
  EXPECT_EQ(message("4 \xe2\x88\x98 4"),
            "threads '4 \\xe2\\x88\\x98 4' is wrong at character 3, '\\xe2\\x88\\x98': ':', 'o' or the end is expected");
  EXPECT_EQ(message(std::string(200, '(')),
            "threads '" + std::string(120, '(') + "...' is wrong at character 17, '(': parentheses nest 16 deep at most");
  auto const far = std::string(150, ' ') + "(4,x" + std::string(150, ' ');
  EXPECT_EQ(message(far).find("threads '..." + far.substr(93, 120) + "...' is wrong at character 154, 'x': "), 0u)
      << message(far);
  EXPECT_EQ(message(std::string(4096, ' ')).substr(0, 12), "threads '...");
  EXPECT_EQ(message(std::string(4097, ' ')), "the length of threads is 4097; it must be 4096 or less");
}

}  // namespace
}  // namespace cornerturn
