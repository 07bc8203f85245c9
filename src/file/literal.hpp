#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cornerturn {

/// A Python literal, as far as .npy headers hold any. Its views point into the text that was parsed.
struct literal {
  enum class kind { string, integer, boolean, none, tuple, list, dict };

  kind type = kind::none;
  std::string_view source;     ///< as it was written
  std::string_view string;     ///< of a string: what stands between its quotes, escapes as written
  std::int64_t integer = 0;    ///< of an integer; of a boolean 0 or 1
  std::vector<literal> items;  ///< of a tuple or list; of a dict key, value, key, value, …
};

/// Parses a text that is one literal. Throws `error` (of kind file) whose message begins with `name` and ends with the place.
literal parse_literal(std::string_view text, std::string_view name);

}  // namespace cornerturn
