#include "file/dtype.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

#include "cornerturn/error.hpp"
#include "support/message.hpp"

namespace cornerturn {
namespace {

std::string dtype_message(std::string_view descr) {
  return test::message_of([&] { dtype_size(parse_literal(descr, "a.npy"), "a.npy"); }, error_kind::file);
}

TEST(dtype, knows_the_size_of_every_code) {
  std::pair<std::string_view, std::int64_t> const cases[] = {
      {"'|b1'", 1},      {"'|i1'", 1},   {"'<i2'", 2}, {"'>i4'", 4},       {"'<i8'", 8},          {"'|u1'", 1},     {"'<u8'", 8},
      {"'<f2'", 2},      {"'>f4'", 4},   {"'<f8'", 8}, {"'<f16'", 16},     {"'=f4'", 4},          {"'f4'", 4},      {"'<c8'", 8},
      {"'<c32'", 32},    {"'|S10'", 10}, {"'|S0'", 0}, {"'<U3'", 12},      {"'|V7'", 7},          {"'<M8[ns]'", 8}, {"'<M8'", 8},
      {"'<m8[25s]'", 8}, {"'<f1'", 1},   {"[]", 0},    {"'<M8[D/24]'", 8}, {"'<m8[generic]'", 8},
  };
  for (auto [descr, size] : cases) EXPECT_EQ(dtype_size(parse_literal(descr, ""), ""), size) << descr;
}

TEST(dtype, knows_the_types_of_numbers_in_native_order) {
  using enum element_type;
  std::pair<std::string_view, element_type> const cases[] = {{"<f4", f32},   {"=f4", f32}, {"f4", f32},
                                                             {"|u1", u8},    {">i1", i8},  {"|b1", boolean},
                                                             {"<c16", c128}, {"<u8", u64}, {"<f1", f8_e5m2}};
  for (auto [code, type] : cases) EXPECT_EQ(type_of_code(code), type) << code;
  for (auto code : {"<f16", "|S1", "<V2", "<M8[ns]", "", "<", "[('a', '<f4')]"}) EXPECT_FALSE(type_of_code(code)) << code;
  for (auto type : {boolean, u8, i64, f16, f64, c64, c128}) EXPECT_EQ(type_of_code(code_of_type(type)), type);
  EXPECT_EQ(type_of_code(">f4"), f32);
  EXPECT_TRUE(is_swapped(">f4"));
  EXPECT_FALSE(is_swapped("<f4"));
  EXPECT_EQ(code_of_type(f32, true), ">f4");
  EXPECT_EQ(code_of_type(u8, true), "|u1");
  EXPECT_EQ(code_of_type(bf16), "<V2");
  EXPECT_EQ(code_of_type(f8_e5m2), "|V1");
}

TEST(dtype, tells_codes_of_a_mere_size) {
  for (auto code : {"|V2", "<V2", "V1"}) EXPECT_TRUE(is_void(code)) << code;
  for (auto code : {"<f4", "|S2", "", "[('a', '|V2')]"}) EXPECT_FALSE(is_void(code)) << code;
}

TEST(dtype, knows_the_names_and_the_lists_of_numpy) {
  std::pair<std::string_view, std::int64_t> const cases[] = {{"'float64'", 8},
                                                             {"'complex128'", 16},
                                                             {"'bool'", 1},
                                                             {"'d'", 8},
                                                             {"'>H'", 2},
                                                             {"'?'", 1},
                                                             {"'i4,f4'", 8},
                                                             {"'i4, >f8 ,S3'", 15},
                                                             {"'2i4,(2,3)u1'", 14},
                                                             {"'<2i4, 3 <f2'", 14},
                                                             {"'i4,'", 4},
                                                             {"'float32,d'", 12},
                                                             {"[('a', 'i4,f4'), ('b', 'float32')]", 12}};
  for (auto [descr, size] : cases) EXPECT_EQ(dtype_size(parse_literal(descr, ""), ""), size) << descr;
  EXPECT_EQ(type_of_code("float64"), element_type::f64);
  EXPECT_EQ(type_of_code("d"), element_type::f64);
  EXPECT_EQ(type_of_code(">d"), element_type::f64);
  EXPECT_FALSE(type_of_code("i4,f4"));
}

TEST(dtype, refuses_two_fields_of_one_name) {
  for (auto const* const fields : {"[('a', '<i4'), ('b', '<f4'), ('a', '<i4')]", "[(('a', 'b'), '<i4'), ('a', '<f4')]",
                                   "[('x', [('a', '<i4'), ('a', '<i4')])]", "[(('a', 'a'), '<i4')]"})
    EXPECT_EQ(dtype_message(fields), "a.npy: malformed header: two fields of a dtype have the name 'a'") << fields;
  EXPECT_EQ(dtype_message("[('', '<i4'), ('', '<i4')]"), "a.npy: malformed header: two fields of a dtype have the name ''");
  EXPECT_EQ(dtype_message("[('', '|V4'), ('a', '<i4'), ('', '|V4'), ('', '<i4', (2,))]"), "");
  EXPECT_EQ(dtype_message("[(1, '<i4')]"), "a.npy: malformed header: (1, '<i4') is not a field of a dtype");
}

TEST(dtype, adds_up_fields) {
  std::pair<std::string_view, std::int64_t> const cases[] = {
      {"[('a', '<i4'), ('b', '|u1')]", 5},
      {"[('a', '<i4'), ('', '|V4'), ('b', '<f8')]", 16},
      {"[(('title', 'a'), '<i4'), ('b', '<f4', (2, 3))]", 28},
      {"[('a', '<i2', 5)]", 10},
      {"[('a', '<i2', ())]", 2},
      {"[('p', [('x', '<f4'), ('y', [('z', '|S3', (2,))])], (2, 2))]", 40},
      {"[('p', ('<i4', (3,)))]", 12},
  };
  for (auto [descr, size] : cases) EXPECT_EQ(dtype_size(parse_literal(descr, ""), ""), size) << descr;
}

TEST(dtype, refuses_objects_wherever_they_are) {
  EXPECT_EQ(dtype_message("'|O'"), "a.npy: dtype '|O' holds Python objects, which have no fixed size");
  EXPECT_EQ(dtype_message("[('a', '<i4'), ('b', [('c', '|O8', (2,))])]"),
            "a.npy: dtype '|O8' holds Python objects, which have no fixed size");
}

TEST(dtype, refuses_what_it_does_not_know) {
  for (std::string_view code : {"",
                                "<",
                                "<f3",
                                "<f5x",
                                "<i16",
                                "<i-4",
                                "<i 4",
                                "|b2",
                                "<M4",
                                "<M8[]",
                                "<M8[x]",
                                "<M8[25]",
                                "<M8[/2]",
                                "<M8[s/]",
                                "<M8[s/s]",
                                "<M8[ns",
                                "<M8ns]",
                                "|S-1",
                                "|S4x",
                                "|V4[s]",
                                "x4",
                                "|T16",
                                "<f99999999999999999999",
                                "<float32",
                                "float33",
                                "i4,x9",
                                ",i4",
                                "i4,,f4",
                                "2i4",
                                "2,i4",
                                "(2,3f4,i4",
                                "(2,-3)f4,i4"}) {
    EXPECT_EQ(dtype_message(fmt::format("'{}'", code)), fmt::format("a.npy: dtype '{}' is unknown", code));
  }
  EXPECT_EQ(dtype_message(fmt::format("'{:x>100}'", "")), fmt::format("a.npy: dtype '{:x>60}...' is unknown", ""));
  EXPECT_EQ(dtype_message("'<f4\xc3\x01'"), "a.npy: dtype '<f4\\xc3\\x01' is unknown");
  EXPECT_EQ(dtype_message("'<M8[\033c]'"), "a.npy: dtype '<M8[\\x1bc]' is unknown");
  EXPECT_EQ(dtype_message("4"), "a.npy: 4 is not a dtype");
  EXPECT_EQ(dtype_message("{'a': 1}"), "a.npy: {'a': 1} is not a dtype");
}

TEST(dtype, refuses_malformed_fields) {
  EXPECT_EQ(dtype_message("['<i4']"), "a.npy: malformed header: '<i4' is not a field of a dtype");
  EXPECT_EQ(dtype_message("[('a',)]"), "a.npy: malformed header: ('a',) is not a field of a dtype");
  EXPECT_EQ(dtype_message("[('a', '<i4', 1, 2)]"), "a.npy: malformed header: ('a', '<i4', 1, 2) is not a field of a dtype");
  EXPECT_EQ(dtype_message("[('a', '<i4', 'x')]"), "a.npy: malformed header: 'x' is not the shape of a sub-array");
  EXPECT_EQ(dtype_message("[('a', '<i4', -2)]"), "a.npy: malformed header: -2 is not the shape of a sub-array");
  EXPECT_EQ(dtype_message("[('a', '<i4', ('x',))]"), "a.npy: malformed header: 'x' is not an extent");
}

TEST(dtype, counts_in_64_bits) {
  std::string const past = "a.npy: malformed header: an item size beyond 64 bits";
  EXPECT_EQ(dtype_message("'<U4611686018427387904'"), past);
  EXPECT_EQ(dtype_message("[('a', '<i4', (4611686018427387904,))]"), past);
  EXPECT_EQ(dtype_message("[('a', '|V9223372036854775807'), ('b', '|u1')]"), past);
}

}  // namespace
}  // namespace cornerturn
