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

}  // namespace
}  // namespace cornerturn
