#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "base/refuse.hpp"
#include "cornerturn/error.hpp"

namespace cornerturn {
namespace {

error thrown_by(auto const& call) {
  try {
    call();
  } catch (error const& e) {
    return e;
  }
  return error(error_kind::memory, "nothing was thrown");
}

TEST(error, has_the_argument_its_value_and_what_it_must_be) {
  auto const e = thrown_by([] { refuse("rows", -3, "0 or more"); });
  EXPECT_EQ(e.kind(), error_kind::argument);
  EXPECT_EQ(std::string(e.what()), "rows is -3; it must be 0 or more");
  EXPECT_EQ(e.argument(), "rows");
  EXPECT_EQ(e.value(), "-3");
  EXPECT_EQ(e.allowed(), "0 or more");
}

TEST(error, takes_another_name_of_the_argument) {
  auto const named = [](auto const& call) { return std::string(thrown_by(call).with_argument("--rows").what()); };
  EXPECT_EQ(named([] { refuse("rows", -3, "0 or more"); }), "--rows is -3; it must be 0 or more");
  EXPECT_EQ(named([] { refuse({"rows", "the size of {}"}, 3, "2"); }), "the size of --rows is 3; it must be 2");
  EXPECT_EQ(named([] { throw error({"rows", "'{}'", "a number"}, "{} '{}' is wrong"); }), "--rows '{}' is wrong");
  EXPECT_EQ(thrown_by([] { refuse("rows", -3, "0 or more"); }).with_argument("--rows").argument(), "--rows");
}

TEST(error, about_no_argument_has_no_fields_and_keeps_its_text_and_code) {
  auto const e = error(error_kind::device, "rows is lost", 7).with_argument("--rows");
  EXPECT_EQ(std::string(e.what()), "rows is lost");
  EXPECT_EQ(e.argument(), "");
  EXPECT_EQ(e.value(), "");
  EXPECT_EQ(e.allowed(), "");
  EXPECT_EQ(e.code(), 7);
}

static_assert(std::is_nothrow_copy_constructible_v<error>);

}  // namespace
}  // namespace cornerturn
