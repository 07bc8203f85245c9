#include "api/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cornerturn/error.hpp"
#include "file/choices.hpp"
#include "problem/print.hpp"
#include "problem/warn.hpp"

namespace cornerturn {
namespace {

/// Never destroyed, as threads may outlive the end of main.
choice_memory& memory() {
  static choice_memory& instance = *new choice_memory;
  return instance;
}

std::optional<choice> measured_before(std::vector<candidate> const& candidates, std::string const& key) {
  auto const text = memory().find(key);
  if (!text) return std::nullopt;
  auto const found = std::ranges::find(candidates, *text, [](candidate const& each) { return describe(each); });
  if (found == candidates.end()) return std::nullopt;  // of a build whose candidates were others
  return choice{*found, "measured before"};
}

std::optional<choice> measured_now(std::vector<candidate> const& candidates, std::string const& key,
                                   std::function<stopwatch()> const& start) {
  try {
    auto const best = measure_choice(candidates, key, start());
    choice result{candidates[best.index],
                  fmt::format("the quickest of {} that were timed {} times", best.candidates, best.rounds)};
    result.chosen.seconds = best.seconds;
    return result;
  } catch (error const& e) {
    if (e.kind() != error_kind::device) throw;
    warn(fmt::format("{}; the plan is estimated, not measured", e.what()));
    return std::nullopt;
  }
}

}  // namespace

std::string choice_key(std::string_view device_name, problem const& canonical, alignment const& aligned) {
  return fmt::format("{}\t{}\t{}\t{} {}", device_name, CORNERTURN_VERSION, to_string(canonical), aligned.source,
                     aligned.destination);
}

choice choose(std::vector<candidate> const& candidates, std::string const& key, enum effort effort,
              std::function<stopwatch()> const& start) {
  auto found = measured_before(candidates, key);
  if (!found && effort == effort::measure) found = measured_now(candidates, key, start);
  if (found) return *found;
  return {candidates.front(), fmt::format("estimated to be the quickest of {}", candidates.size())};
}

measured measure_choice(std::vector<candidate> const& candidates, std::string const& key, stopwatch const& time) {
  auto const best = quickest(candidates, time);
  memory().remember(key, describe(candidates[best.index]));
  return best;
}

void forget_choices() { memory().clear(); }

}  // namespace cornerturn
