#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cornerturn {

/// Throws `code_error` for the character at `at` of a text: "code 'tile[i' is wrong at line 2, character 7: ']' is expected". A
/// text of one line has no line number. The error's value is the quoted line, and its column the place of the character in the
/// value.
[[noreturn]] void refuse_at(std::string_view argument, std::string_view text, std::size_t at, std::string_view problem);

/// The line of a text that contains position `at`.
struct text_line {
  int number;  ///< from 1
  std::size_t begin, end;
};
text_line line_at(std::string_view text, std::size_t at);

/// A part of a text on one line: blanks and line ends become one blank.
std::string on_one_line(std::string_view text);

}  // namespace cornerturn
