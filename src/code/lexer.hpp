#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace cornerturn {

/// A token of C++.
struct code_token {
  enum class kind { end, number, word, symbol, text };
  kind type = kind::end;
  std::string_view text;
  std::size_t at = 0;  ///< position in the code
  int line = 0;        ///< from 0

  bool is(std::string_view symbol) const { return type != kind::end && text == symbol; }
  bool is_word() const { return type == kind::word; }
};

/// The tokens of a code, the last of which is `end`. Comments are left out, and so are lines that begin with '#', except that
/// "#define NAME VALUE" becomes the words "#define", NAME and the tokens of VALUE. A word may have "::" in it. Throws `error` for
/// a comment or a string that does not end.
std::vector<code_token> tokens_of(std::string_view argument, std::string_view code);

}  // namespace cornerturn
