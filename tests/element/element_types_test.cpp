#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cornerturn/cornerturn.h"
#include "cornerturn/element_type.hpp"
#include "cornerturn/ladder.hpp"
#include "cornerturn/text.hpp"
#include "element/convert.hpp"
#include "support/message.hpp"

namespace cornerturn {
namespace {

using names = std::vector<std::string>;

template <class T>
constexpr element_kind kind_of() {
  if constexpr (std::is_same_v<T, element::boolean_bits>) return element_kind::boolean;
  if constexpr (std::is_unsigned_v<T>) return element_kind::unsigned_integer;
  if constexpr (std::is_integral_v<T>) return element_kind::signed_integer;
  if constexpr (element::kIsComplex<T>) return element_kind::complex;
  if constexpr (element::small_float<T>) return T::kFormat.has_infinity ? element_kind::floating : element_kind::finite;
  return element_kind::floating;
}

TEST(element_types, keep_their_numbers) {
  EXPECT_EQ(CORNERTURN_BOOL, 0);
  EXPECT_EQ(CORNERTURN_U8, 1);
  EXPECT_EQ(CORNERTURN_F8_E4M3FN, 9);
  EXPECT_EQ(CORNERTURN_BF16, 12);
  EXPECT_EQ(CORNERTURN_C128, 16);
  EXPECT_EQ(int(element_type::f8_e4m3fn), CORNERTURN_F8_E4M3FN);
  EXPECT_EQ(int(element_type::c128), CORNERTURN_C128);
}

TEST(element_types, rows_agree_with_the_types_of_elements) {
  int number = 0;
  for (auto const& row : kElementTypes) {
    EXPECT_EQ(int(row.type), number++) << row.name;
    element::visit_type(row.type, [&]<class T>(T) {
      EXPECT_EQ(std::size_t(row.bytes), sizeof(T)) << row.name;
      EXPECT_EQ(row.kind, kind_of<T>()) << row.name;
      EXPECT_EQ(is_wide(row.type), element::kIsWide<T>) << row.name;
      EXPECT_EQ(is_quantizable(row.type), element::kIsQuantizable<T>) << row.name;
      if constexpr (element::small_float<T>) {
        EXPECT_EQ(1 + T::kFormat.exponent_bits + T::kFormat.mantissa_bits, 8 * row.bytes) << row.name;
      }
      if constexpr (std::is_integral_v<T>) {
        EXPECT_EQ(row.name[0], std::is_signed_v<T> ? 'i' : 'u') << row.name;
      }
    });
  }
}

TEST(element_types, names_are_unique) {
  std::set<std::string_view> all;
  for (auto const& row : kElementTypes) {
    EXPECT_TRUE(all.insert(row.name).second) << row.name;
    EXPECT_TRUE(row.dtype == row.name || all.insert(row.dtype).second) << row.dtype;
    EXPECT_EQ(element_type_named(row.name), row.type);
    EXPECT_EQ(name_of(row.type), row.name);
    EXPECT_EQ(size_of(row.type), row.bytes);
  }
  all.clear();
  for (auto const& row : kElementTypes) EXPECT_TRUE(row.code.empty() || all.insert(row.code).second) << row.code;
}

TEST(element_types, are_suggested_for_misspelt_names) {
  using enum element_type;
  using types = std::vector<element_type>;
  EXPECT_EQ(similar_types("e4m3"), types{f8_e4m3fn});
  EXPECT_EQ(similar_types("flaot32"), types{f32});
  EXPECT_EQ(similar_types("fp8"), (types{f8_e4m3fn, f8_e5m2}));
  EXPECT_EQ(similar_types("xyz"), types{});
  auto const allowed = [](auto const& call) { return test::refused_by(call).allowed; };
  EXPECT_TRUE(allowed([] { element_type_named("e4m3"); }).ends_with("; did you mean f8_e4m3fn?"));
  EXPECT_TRUE(allowed([] { type_size("i24"); }).ends_with("; did you mean i64?"));
}

/// The first number in a name.
int number_in(std::string_view name) {
  int number = 0;
  auto const digits = name.substr(std::min(name.find_first_of("0123456789"), name.size()));
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

TEST(element_types, names_count_bits_and_codes_bytes) {
  for (auto const& row : kElementTypes) {
    int const bits = row.kind == element_kind::boolean ? 0 : 8 * row.bytes;
    EXPECT_EQ(number_in(row.name), bits) << row.name;
    EXPECT_EQ(number_in(row.dtype), bits) << row.dtype;
    EXPECT_TRUE(row.code.empty() || number_in(row.code) == row.bytes) << row.code;
  }
}

TEST(element_types, names_of_types) {
  EXPECT_EQ(names_of_types(is_complex), (names{"c128", "c64"}));
  EXPECT_EQ(names_of_types(is_complex, &element_type_row::dtype), (names{"complex128", "complex64"}));
  EXPECT_EQ(list_text({}), "");
  EXPECT_EQ(list_text({"a"}), "a");
  EXPECT_EQ(list_text({"a", "b"}), "a or b");
  EXPECT_EQ(list_text({"a", "b", "c"}, "and"), "a, b and c");
}

}  // namespace
}  // namespace cornerturn
