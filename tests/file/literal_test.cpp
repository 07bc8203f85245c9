#include "file/literal.hpp"

#include <gtest/gtest.h>

#include "cornerturn/error.hpp"
#include "support/message.hpp"

namespace cornerturn {
namespace {

using kind = literal::kind;

std::string literal_message(std::string_view text) {
  return test::message_of([&] { parse_literal(text, "a.npy"); }, error_kind::file);
}

TEST(literal, reads_what_numpy_writes) {
  literal const dict = parse_literal("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4L), }    \n", "a.npy");
  ASSERT_EQ(dict.type, kind::dict);
  ASSERT_EQ(dict.items.size(), 6u);
  EXPECT_EQ(dict.items[0].string, "descr");
  EXPECT_EQ(dict.items[1].type, kind::string);
  EXPECT_EQ(dict.items[1].string, "<f4");
  EXPECT_EQ(dict.items[1].source, "'<f4'");
  EXPECT_EQ(dict.items[3].type, kind::boolean);
  EXPECT_EQ(dict.items[3].integer, 0);
  ASSERT_EQ(dict.items[5].type, kind::tuple);
  ASSERT_EQ(dict.items[5].items.size(), 2u);
  EXPECT_EQ(dict.items[5].items[1].integer, 4);
  EXPECT_EQ(dict.items[5].source, "(3, 4L)");
}

TEST(literal, reads_what_python_reads) {
  for (auto const* const text : {"u'<f8'", "U\"<f8\"", " u'<f8' # of Python 2", "# before\n'<f8'#after", "'<f8'\n#\n#"})
    EXPECT_EQ(parse_literal(text, "").string, "<f8") << text;
  EXPECT_EQ(parse_literal("u'<f8'", "").source, "'<f8'");
  EXPECT_EQ(parse_literal("{'a#': 1, # '}'\n 'b': 2}", "").items.size(), 4u);
  EXPECT_EQ(literal_message("1#}\n2"), "a.npy: malformed header: expected nothing more at byte 4");
  EXPECT_EQ(parse_literal("(00, 0)", "").items[0].integer, 0);
  EXPECT_EQ(literal_message("(03,)"), "a.npy: malformed header: expected a number without a leading 0 at byte 1");
  EXPECT_EQ(parse_literal("(2L,)", "").items[0].integer, 2);
  EXPECT_EQ(test::message_of([] { parse_literal("(2L,)", "a.npy", false); }, error_kind::file),
            "a.npy: malformed header: expected ',' or ')' at byte 2");
}

TEST(literal, tells_tuples_from_brackets) {
  EXPECT_EQ(parse_literal("()", "").type, kind::tuple);
  EXPECT_EQ(parse_literal("(3,)", "").type, kind::tuple);
  EXPECT_EQ(parse_literal("(3)", "").type, kind::integer);
  EXPECT_EQ(parse_literal("[3]", "").type, kind::list);
  EXPECT_EQ(parse_literal("None", "").type, kind::none);
}

TEST(literal, keeps_quotes_inside_strings) {
  EXPECT_EQ(parse_literal(R"("it's")", "").string, "it's");
  EXPECT_EQ(parse_literal(R"('it\'s')", "").string, R"(it\'s)");
  EXPECT_EQ(parse_literal(R"('\\')", "").string, R"(\\)");
}

TEST(literal, names_the_place_of_a_mistake) {
  EXPECT_EQ(literal_message("{'a': 1}"), "");
  EXPECT_EQ(literal_message(""), "a.npy: malformed header: expected a value at byte 0");
  EXPECT_EQ(literal_message("{'a' 1}"), "a.npy: malformed header: expected ':' at byte 5");
  EXPECT_EQ(literal_message("{'a': 1 'b': 2}"), "a.npy: malformed header: expected ',' or '}' at byte 8");
  EXPECT_EQ(literal_message("(1, 2"), "a.npy: malformed header: expected ',' or ')' at byte 5");
  EXPECT_EQ(literal_message("(1,, 2)"), "a.npy: malformed header: expected a value at byte 3");
  EXPECT_EQ(literal_message("'abc"), "a.npy: malformed header: expected the end of a string at byte 4");
  EXPECT_EQ(literal_message("'abc\\"), "a.npy: malformed header: expected the end of a string at byte 5");
  EXPECT_EQ(literal_message("99999999999999999999"), "a.npy: malformed header: expected a number of 64 bits at byte 0");
  EXPECT_EQ(literal_message("1 2"), "a.npy: malformed header: expected nothing more at byte 2");
  EXPECT_EQ(literal_message("nothing"), "a.npy: malformed header: expected a value at byte 0");
  EXPECT_EQ(literal_message(std::string(100000, '(')), "a.npy: malformed header: expected less nesting at byte 65");
}

}  // namespace
}  // namespace cornerturn
