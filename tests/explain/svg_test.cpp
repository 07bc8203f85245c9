#include "explain/svg.hpp"

#include <gtest/gtest.h>

namespace cornerturn {
namespace {

TEST(svg, texts_are_xml) {
  svg picture;
  picture.heading("a\x01<b>\n&\x7f…");
  auto const text = picture.finished();
  EXPECT_NE(text.find(">a\\x01&lt;b&gt;\\x0a&amp;\x7f…</text>"), std::string::npos) << text;
}

TEST(svg, bytes_that_are_no_character_are_written_as_numbers) {
  svg picture;
  picture.heading("\xb5s µs \xc3 €\xe2\x82 \xed\xa0\x80 \xc0\xaf \U0001f600 \xf4\x90\x80\x80");
  auto const text = picture.finished();
  EXPECT_NE(text.find(">\\xb5s µs \\xc3 €\\xe2\\x82 \\xed\\xa0\\x80 \\xc0\\xaf \U0001f600 \\xf4\\x90\\x80\\x80</text>"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace cornerturn
