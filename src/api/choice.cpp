#include "api/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/fork_safe_static.hpp"
#include "base/warn.hpp"
#include "cornerturn/error.hpp"
#include "file/choices.hpp"

namespace cornerturn {
namespace {

choice_memory& memory() {
  static constinit fork_safe_static<choice_memory> instance;
  return instance.get([] { return choice_memory(); });
}

candidate with_reason(candidate each, std::string why) {
  each.why = std::move(why);
  return each;
}

std::optional<candidate> measured_before(selection const& among) {
  auto const id = memory().find(among.key);
  if (!id) return std::nullopt;
  auto all = among.candidates();
  auto const found = std::ranges::find(all, *id, [](candidate const& each) { return id_of(each); });
  if (found == all.end()) return std::nullopt;  // another build measured it, with other candidates
  return with_reason(std::move(*found), "measured before");
}

std::optional<candidate> measured_now(selection const& among) {
  try {
    auto [chosen, figures] = measure_choice(among);
    chosen.seconds = figures.seconds, chosen.is_scaled = false;
    return with_reason(std::move(chosen),
                       fmt::format("the fastest of {} that were timed {} times", figures.candidates, figures.rounds));
  } catch (error const& e) {
    if (!e.is_of_machine()) throw;
    warn(fmt::format("{}; the plan is estimated, not measured", e.what()));
    return std::nullopt;
  }
}

}  // namespace

std::string choice_key(std::string_view device_name, std::string_view problem, alignment const& aligned) {
  return fmt::format("{}\t{}\t{}\t{} {}", device_name, CORNERTURN_VERSION, problem, aligned.source, aligned.destination);
}

candidate choose(selection const& among, planning_effort effort) {
  auto found = measured_before(among);
  if (!found && effort == planning_effort::measure) found = measured_now(among);
  return found ? *std::move(found) : with_reason(among.first(), "estimated to be the fastest");
}

measured_choice measure_choice(selection const& among) {
  auto const all = among.candidates();
  if (among.compare) among.compare(all);
  auto const best = measure_candidates(all, among.start(), among.limits);
  memory().remember(among.key, id_of(all[best.index]));
  return {all[best.index], best};
}

void forget_choices() { memory().clear(); }

}  // namespace cornerturn
