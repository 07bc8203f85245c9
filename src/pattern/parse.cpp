#include <fmt/format.h>

#include <algorithm>

#include "base/refuse.hpp"
#include "cornerturn/rearrange.hpp"
#include "pattern/grammar.hpp"

namespace cornerturn {
namespace {

using axis = parsed_pattern::axis;

/// Replaces `...` by names for `count` axes, which no pattern can have. Outside parentheses each becomes an axis.
std::vector<axis> expanded(std::vector<axis> const& side, int count) {
  std::vector<axis> result;
  for (auto const& each : side) {
    auto const found = std::ranges::find(each.names, kEllipsis);
    if (found == each.names.end()) {
      result.push_back(each);
      continue;
    }
    std::vector<std::string> names(each.names.begin(), found);
    for (int i = 0; i < count; ++i) names.push_back(fmt::format("{}{}", kEllipsis, i));
    names.insert(names.end(), found + 1, each.names.end());
    if (each.text[0] == '(')
      result.push_back({std::move(names), each.text, each.index, each.in_tile});
    else
      for (auto& name : names) result.push_back({{std::move(name)}, each.text, each.index, each.in_tile});
  }
  return result;
}

}  // namespace

void expect_pattern(std::string_view pattern) { read_sides(pattern); }

parsed_pattern parse_pattern(std::string_view pattern, int rank, std::span<std::string_view const> given) {
  auto const sides = read_sides(pattern);
  auto const is_named = [](axis const& each) { return each.names != std::vector{std::string(kEllipsis)}; };
  auto const named = int(std::ranges::count_if(sides.left, is_named));
  bool const is_open = named != int(sides.left.size());
  if (rank < named || (rank > named && !is_open))
    refuse("rank", rank, fmt::format("{}{}, as on the left of pattern {}", named, is_open ? " or more" : "", quoted(pattern)));
  parsed_pattern result{.text = std::string(pattern), .source = expanded(sides.left, rank - named), .order = {}, .result = {}};
  std::vector<std::string_view> names;
  for (auto const& each : result.source) names.insert(names.end(), each.names.begin(), each.names.end());
  for (auto const name : given)
    if (name.starts_with(kEllipsis) || std::ranges::find(names, name) == names.end())
      refuse(name, "given", fmt::format("the name of an axis of pattern {}", quoted(pattern)));
  if (names.size() > std::size_t(kMaxRank))
    refuse_pattern(pattern, fmt::format("at most {} axes, without parentheses", kMaxRank));
  auto const is_free = [&](std::string_view name) { return std::ranges::find(given, name) == given.end(); };
  for (auto const& each : result.source)
    if (std::ranges::count_if(each.names, is_free) > 1)
      refuse_axis(pattern, each, "parentheses with at most one name without a length");
  for (auto const& each : expanded(sides.right, rank - named)) {
    result.result_tile += each.in_tile;
    auto& merged = result.result.emplace_back();
    for (auto const& name : each.names) merged.push_back(std::ranges::find(names, name) - names.begin());
    result.order.insert(result.order.end(), merged.begin(), merged.end());
  }
  return result;
}

}  // namespace cornerturn
