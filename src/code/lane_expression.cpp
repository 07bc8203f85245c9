#include "code/lane_expression.hpp"

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/refuse.hpp"
#include "code/run.hpp"
#include "code/syntax.hpp"
#include "layout/refuse_text.hpp"

namespace cornerturn {

lane_addresses parse_addresses(std::string_view argument, std::string_view text) {
  constexpr std::size_t kShown = 60;
  refuse_long(argument, text);
  if (text.find_first_not_of(' ') == text.npos) refuse(argument, "''", "an expression of lane, or a list of addresses");
  auto const expressions = parse_lanes(argument, text);
  lane_addresses result;
  if (expressions.size() > result.size())
    refuse({argument, "the number of entries of {}"}, expressions.size(), fmt::format("1 to {}", result.size()));
  result = lane_values(argument, text, expressions);
  for (std::size_t lane = 0; lane < result.size(); ++lane)
    if (result[lane] && *result[lane] < 0)
      refuse(argument, fmt::format("'{}'", printable(text, kShown)),
             fmt::format("0 or more; lane {} has {}", lane, *result[lane]));
  return result;
}

}  // namespace cornerturn
