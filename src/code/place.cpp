#include "code/place.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.hpp"
#include "cornerturn/code.hpp"

namespace cornerturn {
namespace {

constexpr std::size_t kShown = 100;  // bytes of a line

}  // namespace

text_line line_at(std::string_view text, std::size_t at) {
  at = std::min(at, text.size());
  auto const before = text.substr(0, at);
  auto const begin = before.rfind('\n') + 1;  // 0 in the first line
  return {int(std::ranges::count(before, '\n')) + 1, begin, std::min(text.find('\n', at), text.size())};
}

std::string on_one_line(std::string_view text) {
  std::string result;
  for (char const c : text) {
    bool const blank = std::string_view(" \t\r\n").find(c) != std::string_view::npos;
    if (!blank)
      result += c;
    else if (!result.empty() && result.back() != ' ')
      result += ' ';
  }
  while (result.ends_with(' ')) result.pop_back();
  return result;
}

void refuse_at(std::string_view argument, std::string_view text, std::size_t at, std::string_view problem) {
  auto const [number, begin, end] = line_at(text, at);
  auto const first = at - begin < kShown ? begin : at - kShown / 2;
  auto const column = at - begin + 1;
  auto const value = fmt::format("'{}{}'", first > begin ? "..." : "", printable(text.substr(first, end - first), kShown));
  auto const shown = printable(text.substr(first, at - first), kShown).size() + (first > begin ? 3 : 0);
  auto where =
      text.find('\n') == text.npos ? fmt::format("character {}", column) : fmt::format("line {}, character {}", number, column);
  if (at >= text.size())
    where = text.find('\n') == text.npos ? "its end" : fmt::format("the end of line {}", number);
  else if (at < end)
    where += fmt::format(", '{}'", printable(text.substr(at, 1), 4));
  throw code_error({std::string(argument), value, std::string(problem)},
                   fmt::format("{{}} {} is wrong at {}: {}", value, where, problem), int(shown) + 2);
}

}  // namespace cornerturn
