#include "explain_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "cornerturn/text.hpp"

namespace cornerturn::cli {
namespace {

/// The sectors or wavefronts per request of a rung's loads or stores, and the ideal if it differs: "16 (4)"; "-" if there are no
/// requests.
std::string cost_text(explanation const& each, memory_space space, bool store) {
  std::int64_t requests = 0, actual = 0, ideal = 0;
  for (auto const& instruction : each.instructions) {
    if (instruction.space != space || instruction.store != store) continue;
    if (instruction.box) return "box";
    bool const shared = space == memory_space::shared;
    requests += instruction.requests;
    actual += shared ? instruction.wavefronts : instruction.sectors;
    ideal += shared ? instruction.ideal_wavefronts : instruction.ideal_sectors;
  }
  if (requests == 0) return "-";
  auto const mean = decimal(double(actual) / double(requests)), least = decimal(double(ideal) / double(requests));
  return mean == least ? mean : fmt::format("{} ({})", mean, least);
}

std::string matrix_text(explanation const& each) { return fmt::format("{} x {} {}", each.rows, each.cols, each.type); }

}  // namespace

void print_findings(std::string_view heading, std::vector<finding> const& findings) {
  if (!findings.empty()) fmt::print("\n{}:\n", heading);
  for (auto const& each : findings) fmt::print("- {}\n", wrapped(fmt::format("{} [{}]", each.text, each.kind), 2));
}

void print_table(std::vector<explanation> const& all) {
  std::vector<explanation const*> served, others;
  for (auto const& each : all) (each.unavailable.empty() ? served : others).push_back(&each);
  // The copies come first, as references. Speeds this near are equal for the model, so their rungs keep the ladder's order.
  constexpr double kNear = 0.05;
  std::ranges::stable_sort(served, {}, [](explanation const* each) {
    return std::pair(!each->is_copy, each->is_copy ? 0 : -std::lround(each->predicted / kNear));
  });

  fmt::print("{}: sectors (global) and wavefronts (shared) per request\n\n", matrix_text(all.front()));
  fmt::print("{:<19}{:>12}{:>11}{:>11}{:>12}{:>6}  {}\n", "rung", "load", "sh. store", "sh. load", "store", "speed", "limit");
  for (auto const* each : served)
    fmt::print("{:<19}{:>12}{:>11}{:>11}{:>12}{:>6.2f}  {}\n", each->rung, cost_text(*each, memory_space::global, false),
               cost_text(*each, memory_space::shared, true), cost_text(*each, memory_space::shared, false),
               cost_text(*each, memory_space::global, true), each->predicted, each->limit.substr(0, each->limit.find(' ')));
  for (auto const* each : others) fmt::print("{:<20}n/a: {}\n", each->rung, wrapped(each->unavailable, 25));
  fmt::print(
      "\nspeed: predicted (model of an H200), as a ratio to cudaMemcpy; the copies first,\n"
      "then the fastest; near speeds, which the model does not order, as in the ladder\n"
      "limit: the resource that limits the speed; in brackets: the ideal; box: by TMA\n"
      "cornerturn explain RUNG explains one rung in detail\n");
}

}  // namespace cornerturn::cli
