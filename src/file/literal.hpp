#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace cornerturn {

/// A Python literal of the kinds that .npy headers contain. Its views point into the parsed text.
struct literal {
  enum class kind { string, integer, boolean, none, tuple, list, dict };

  kind type = kind::none;
  std::string_view source;     ///< the text of the literal, of a string without the prefix u
  std::string_view string;     ///< for a string: the text between its quotes, with escapes as written
  std::int64_t integer = 0;    ///< for an integer: its value; for a boolean: 0 or 1
  std::vector<literal> items;  ///< for a tuple or list: its items; for a dict: key, value, key, value, …
};

/// Parses a text that consists of one literal, with spaces and comments around its parts. With `may_be_long` an integer may end
/// with an L, as in Python 2. Throws `error` (kind file) with a message that begins with `name` and ends with the position of the
/// error.
literal parse_literal(std::string_view text, std::string_view name, bool may_be_long = true);

}  // namespace cornerturn
