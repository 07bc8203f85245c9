#include "pattern/grammar.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/refuse.hpp"
#include "base/utf8.hpp"

namespace cornerturn {
namespace {

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

/// True for letters. Beyond ASCII, these are all characters outside the blocks of punctuation, symbols and private use.
bool is_letter_code(char32_t code) {
  struct block {
    char32_t first, last;
  };
  constexpr block kOthers[] = {{0x80, 0xA9},     {0xAB, 0xB4},     {0xB6, 0xB9},     {0xBB, 0xBF},       {0xD7, 0xD7},
                               {0xF7, 0xF7},     {0x2000, 0x2BFF}, {0x3000, 0x3004}, {0x3008, 0x3020},   {0xD800, 0xF8FF},
                               {0xFE00, 0xFE1F}, {0xFE30, 0xFE6F}, {0xFEFF, 0xFF0F}, {0x1F000, 0x1FAFF}, {0xE0000, 0x10FFFF}};
  if (code < 0x80) return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
  return std::ranges::none_of(kOthers, [&](block const& each) { return each.first <= code && code <= each.last; });
}

bool is_name(std::string_view token) {
  if (token.front() == '_' || token.back() == '_' || is_decimal(token.front())) return false;
  while (!token.empty()) {
    auto const [code, length] = first_character(token);
    if (!is_letter_code(code) && token[0] != '_' && !is_decimal(token[0])) return false;
    token.remove_prefix(length);
  }
  return true;
}

/// True for 1, also with zeros in front.
bool is_one(std::string_view token) {
  return token.back() == '1' && std::ranges::all_of(token.substr(0, token.size() - 1), [](char c) { return c == '0'; });
}

parsed_pattern::axis axis_at(std::string_view pattern, std::size_t begin, std::size_t end, std::vector<std::string> names = {},
                             bool in_tile = false) {
  auto const before = pattern.substr(0, begin);
  auto const index = std::ranges::count_if(before, [](char c) { return !is_continuation(c); });
  return {std::move(names), std::string(pattern.substr(begin, end - begin)), index, in_tile};
}

[[noreturn]] void refuse_part(std::string_view pattern, std::size_t begin, std::size_t end, std::string_view allowed) {
  refuse_axis(pattern, axis_at(pattern, begin, end), allowed);
}

/// A name, and where the pattern has it.
struct name_place {
  std::string name;
  std::size_t index;
};

struct half_pattern {
  std::vector<parsed_pattern::axis> axes;
  std::vector<name_place> places;
  bool has(std::string_view name) const { return std::ranges::find(places, name, &name_place::name) != places.end(); }
};

half_pattern read_half(std::string_view pattern, std::size_t begin, std::size_t end) {
  half_pattern read;
  std::vector<std::string> group;
  auto opened = pattern.npos, tile = pattern.npos;  // the index of the parenthesis that is open, and of the side's |
  for (auto at = begin; at < end;) {
    if (pattern[at] == ' ') {
      ++at;
    } else if (pattern[at] == '(') {
      if (opened != pattern.npos) refuse_part(pattern, at, at + 1, "parentheses that are not nested");
      opened = at++;
    } else if (pattern[at] == ')') {
      if (opened == pattern.npos) refuse_part(pattern, at, at + 1, "balanced parentheses");
      read.axes.push_back(axis_at(pattern, opened, ++at, std::move(group), tile != pattern.npos));
      group.clear(), opened = pattern.npos;
    } else if (pattern.substr(at).starts_with(kTile)) {
      if (opened != pattern.npos) refuse_part(pattern, at, at + kTile.size(), fmt::format("{} outside parentheses", kTile));
      if (tile != pattern.npos) refuse_part(pattern, at, at + kTile.size(), fmt::format("at most one {} on a side", kTile));
      tile = at;
      at += kTile.size();
    } else {
      auto const stop = std::min(pattern.find_first_of(" ()|", at), end);
      auto const token = pattern.substr(at, stop - at);
      if (!is_one(token)) {
        if (token != kEllipsis && !is_name(token))
          refuse_part(pattern, at, stop, "only 1, ... and names, which are identifiers without _ at their ends");
        if (read.has(token)) refuse_part(pattern, at, stop, "axes that appear once on a side");
        read.places.push_back({std::string(token), at});
        group.emplace_back(token);
      }
      if (opened == pattern.npos) {
        read.axes.push_back(axis_at(pattern, at, stop, std::move(group), tile != pattern.npos));
        group.clear();
      }
      at = stop;
    }
  }
  if (opened != pattern.npos) refuse_part(pattern, opened, opened + 1, "balanced parentheses");
  if (tile != pattern.npos && (read.axes.empty() || !read.axes.back().in_tile))
    refuse_part(pattern, tile, tile + kTile.size(), fmt::format("axes after {}", kTile));
  return read;
}

}  // namespace

std::string quoted(std::string_view text) {
  char const quote = text.find('\'') != text.npos && text.find('"') == text.npos ? '"' : '\'';
  std::string result(1, quote);
  while (!text.empty()) {
    auto const [code, length] = first_character(text);
    auto const c = text[0];
    if (c == quote || c == '\\')
      result += {'\\', c};
    else if (c == '\n' || c == '\t' || c == '\r')
      result += {'\\', c == '\n' ? 'n' : c == '\t' ? 't' : 'r'};
    else if (code < ' ' || code == 0x7F)
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      result += text.substr(0, length);
    text.remove_prefix(length);
  }
  return result + quote;
}

void refuse_pattern(std::string_view pattern, std::string const& allowed) {
  throw error({"pattern", quoted(pattern), "one with " + allowed},
              fmt::format("{{}} is {}; it must have {}", quoted(pattern), allowed));
}

void refuse_axis(std::string_view pattern, parsed_pattern::axis const& axis, std::string_view allowed) {
  refuse_pattern(pattern, fmt::format("{}, unlike {} at index {}", allowed, quoted(axis.text), axis.index));
}

pattern_sides read_sides(std::string_view pattern) {
  auto const arrow = pattern.find(kArrow);
  if (arrow == pattern.npos) refuse_pattern(pattern, fmt::format("two sides with {} between them", kArrow));
  auto const right_begin = arrow + kArrow.size();
  if (auto const second = pattern.find(kArrow, arrow + 1); second != pattern.npos)
    refuse_part(pattern, second, second + kArrow.size(), fmt::format("one {}", kArrow));
  auto left = read_half(pattern, 0, arrow), right = read_half(pattern, right_begin, pattern.size());
  for (auto const& axis : left.axes)
    if (axis.text[0] == '(' && std::ranges::find(axis.names, kEllipsis) != axis.names.end())
      refuse_axis(pattern, axis, "... outside parentheses on the left");
  for (auto const* const places : {&left.places, &right.places})
    for (auto const& [name, index] : *places)
      if (!left.has(name) || !right.has(name)) refuse_part(pattern, index, index + name.size(), "the same axes on both sides");
  return {std::move(left.axes), std::move(right.axes)};
}

bool has_axis(std::string_view pattern, std::string_view name) {
  auto const sides = read_sides(pattern);
  return std::ranges::any_of(sides.left,
                             [&](auto const& axis) { return std::ranges::find(axis.names, name) != axis.names.end(); });
}

}  // namespace cornerturn
