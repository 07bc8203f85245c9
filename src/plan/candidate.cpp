#include "plan/candidate.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "cornerturn/text.hpp"

namespace cornerturn {

step const& only_step(candidate const& each) {
  if (each.steps.size() != 1) throw std::logic_error("a plan of several steps is taken for a single one");
  return each.steps.front();
}

std::string describe(candidate const& each) {
  std::string text;
  for (auto const& step : each.steps)
    text += (text.empty() ? "" : step.is_beside_last ? "; beside it " : "; then ") + describe(step);
  if (each.workspace_bytes > 0) text += fmt::format("; workspace of {}", count_text(each.workspace_bytes, "byte"));
  if (each.staging_bytes > 0) text += fmt::format("; staging of {}", count_text(each.staging_bytes, "byte"));
  return text;
}

std::string id_of(candidate const& each) {
  std::string text;
  for (auto const& step : each.steps) text += id_of(step) + " ";
  return text + fmt::format("{},{}", each.workspace_bytes, each.staging_bytes);
}

}  // namespace cornerturn
