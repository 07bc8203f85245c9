#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "base/refuse.hpp"
#include "cornerturn/element_type.hpp"
#include "cornerturn/ladder.hpp"

namespace cornerturn {

std::vector<std::string> type_names() {
  std::vector rows(std::begin(kElementTypes), std::end(kElementTypes));
  std::erase_if(rows, [](auto const& each) { return each.kind == element_kind::boolean; });  // moved as u8
  std::ranges::stable_sort(rows, {}, &element_type_row::bytes);
  std::vector<std::string> names;
  for (auto const& each : rows) names.emplace_back(each.name);
  return names;
}

int type_size(std::string_view type) {
  for (auto const& each : kElementTypes)
    if (each.name == type && each.kind != element_kind::boolean) return each.bytes;
  refuse("type", fmt::format("'{}'", type), fmt::format("one of {}", fmt::join(type_names(), ", ")));
}

}  // namespace cornerturn
