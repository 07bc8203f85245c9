#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cornerturn {

/// A literal of Python, or a call with literals as arguments. The texts are those of the source.
struct python_literal {
  enum class kind { integer, word, list, call };  ///< a tuple is a list, a dict a call without a name
  kind type = kind::integer;
  std::int64_t number = 0;
  std::string_view text;                ///< of a word or a string; of a call, the last part of its name
  std::vector<std::string_view> names;  ///< of a call's arguments, or the keys of a dict; empty for those by position
  std::vector<python_literal> items;    ///< of a list, or the arguments
  std::size_t at = 0;                   ///< where it begins in the source
};

/// Parses literals with commas between them, as a list. Attributes of MLIR, "#name<{key = 1}>", are calls. Throws `error` with
/// the place of the character, as `parse_layout` does.
python_literal parse_python(std::string_view argument, std::string_view source);

/// Throws `error` about a literal.
[[noreturn]] void refuse_literal(std::string_view argument, std::string_view source, std::size_t at, std::string_view problem);

}  // namespace cornerturn
