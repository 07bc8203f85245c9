#pragma once

#include <cstddef>
#include <string_view>

namespace cornerturn {

/// True for the second and later bytes of a UTF-8 character.
constexpr bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// A character, and its length in bytes; the character is 0, of length 1, if the bytes are none.
struct utf8_character {
  char32_t code;
  std::size_t length;
};

/// The first character of a text that is not empty. Surrogates, and characters in more bytes than they need, count as characters.
constexpr utf8_character first_character(std::string_view text) {
  auto const first = static_cast<unsigned char>(text[0]);
  std::size_t const length = first < 0x80 ? 1 : first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF8 ? 4 : 0;
  if (length == 0 || length > text.size()) return {0, 1};
  auto code = char32_t(length == 1 ? first : first & (0x7F >> length));
  for (auto const c : text.substr(1, length - 1)) {
    if (!is_continuation(c)) return {0, 1};
    code = code << 6 | (static_cast<unsigned char>(c) & 0x3F);
  }
  return {code, length};
}

}  // namespace cornerturn
