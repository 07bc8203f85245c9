#include "plan/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <tuple>

#include "plan/cost.hpp"
#include "problem/canonical.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

/// The tile sizes that are tried for one element size. On an H200 every best estimate came from one of `all`, or, for arrays that
/// leave SMs idle unless their tiles are small, from one of `small`.
struct tile_hints {
  std::span<tile_hint const> all;
  std::array<tile_hint, 3> small;
};

tile_hints hints_for(std::int64_t element_size) {
  constexpr std::int64_t k = 1 << 10;
  static constexpr tile_hint kBytes[] = {{4 * k, 256, 24 * k, 4}, {256, 128, 16 * k, 4},   {512, 512, 16 * k, 4},
                                         {4 * k, 128, 32 * k, 4}, {16 * k, 256, 8 * k, 4}, {128, 1024, 16 * k, 4},
                                         {128, 512, 48 * k, 4},   {256, 1024, 16 * k, 4}};
  static constexpr tile_hint kPairs[] = {
      {16 * k, 128, 8 * k}, {1024, 512, 16 * k}, {4 * k, 1024, 16 * k}, {512, 256, 16 * k}, {128, 512, 8 * k}};
  static constexpr tile_hint kWords[] = {{4 * k, 512, 16 * k}, {512, 128, 8 * k},     {1024, 1024, 16 * k}, {128, 1024, 32 * k},
                                         {256, 1024, 48 * k},  {1024, 4 * k, 48 * k}, {4 * k, 1024, 8 * k}};
  static constexpr tile_hint kDoubles[] = {{512, 512, 8 * k}, {4 * k, 512, 8 * k},  {1024, 1024, 16 * k},
                                           {512, 256, 8 * k}, {1024, 4 * k, 8 * k}, {128, 512, 8 * k}};
  static constexpr tile_hint kLarge[] = {
      {512, 1024, 16 * k}, {4 * k, 1024, 16 * k}, {1024, 1024, 8 * k}, {512, 4 * k, 8 * k}, {256, 512, 8 * k}};
  if (element_size == 1) return {kBytes, {{{4 * k, 64, 4 * k, 4}, {128, 256, 16 * k, 4}, {128, 64, 8 * k, 4}}}};
  if (element_size == 2) return {kPairs, {{{256, 128, 4 * k}, {1024, 128, 8 * k}, {128, 1024, 8 * k}}}};
  if (element_size == 4) return {kWords, {{{256, 256, 4 * k}, {256, 1024, 8 * k}, {256, 128, 8 * k}}}};
  if (element_size == 8) return {kDoubles, {{{256, 512, 8 * k}, {16 * k, 512, 4 * k}, {1024, 128, 8 * k}}}};
  return {kLarge, {{{1024, 128, 8 * k}, {128, 512, 8 * k}, {16 * k, 512, 16 * k}}}};
}

constexpr int kAddressBits = 47;

double bytes_of(problem const& p) {
  double bytes = double(p.element_size);
  for (auto const& each : p.modes) bytes *= double(each.extent);
  return bytes;
}

/// The rung for a problem that folds to matrices, once with each tile; empty if the problem does not fold.
std::vector<rung_plan> rungs_for(problem const& refitted, alignment const& aligned) {
  auto const plan = plan_problem(refitted, aligned);
  if (!plan) return {};
  std::vector<rung_plan> plans;
  for (auto const& tile : tiles_of(plan->kernel, plan->element_size, plan->widths)) plans.push_back(with_tile(*plan, tile));
  return plans;
}

/// True if two plans of one problem have the same tiles, so that `describe` gives the same text for both.
bool are_alike(gather_job const& a, gather_job const& b) {
  auto const tile = [](gather_job const& each) {
    return std::tuple(each.tiles, each.source_rows, each.destination_rows, each.vector_elements, each.run_part, each.run_rest,
                      each.lanes.divisor, each.shared_bytes);
  };
  return tile(a) == tile(b);
}

/// Sorts by expected seconds, the quickest first. Candidates are large, so each is moved only once.
std::vector<candidate> sorted(std::vector<candidate> all) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return all[i].seconds; });
  std::vector<candidate> result;
  result.reserve(all.size());
  for (std::size_t const i : order) result.push_back(std::move(all[i]));
  return result;
}

}  // namespace

std::vector<candidate> candidates_of(problem const& canonical, alignment const& aligned, gpu_model const& gpu) {
  refuse_beyond(canonical, kAddressBits, "a GPU");
  std::vector<candidate> result;
  result.reserve(32);
  auto const add = [&](auto const& plan) { result.push_back({plan, expected_seconds(plan, gpu), gpu.is_scaled}); };
  auto const refitted = refit_elements(canonical, aligned);
  auto const rungs = rungs_for(refitted, aligned);
  for (auto const& plan : rungs) add(plan);
  if (!rungs.empty() && rungs.front().kernel == rung::vec_both)
    if (auto const plan = plan_small(rungs.front())) add(*plan);
  if (auto const plan = plan_interleave(refitted, aligned)) add(*plan);
  for (auto const& plan : plan_unaligned(refitted)) add(plan);
  // Several hints may lead to the same tiles: only the quickest of these candidates is kept.
  auto const first = std::ssize(result);
  auto const try_hint = [&](tile_hint const& hint) {
    candidate each{plan_gather(refitted, aligned, hint), 0, gpu.is_scaled};
    auto const& plan = std::get<gather_plan>(each.kernel);
    double const seconds = each.seconds = expected_seconds(plan, gpu);
    auto const known = std::find_if(result.begin() + first, result.end(), [&](candidate const& other) {
      return are_alike(std::get<gather_plan>(other.kernel).job, plan.job);
    });
    if (known == result.end())
      result.push_back(std::move(each));
    else if (seconds < known->seconds)
      *known = std::move(each);
    return seconds;
  };
  // Loads of single bytes have bank conflicts, so the best tile for them is also tried with other numbers of lanes.
  auto const hints = hints_for(refitted.element_size);
  tile_hint best;
  for (double least = 0; auto const& hint : hints.all)
    if (double const seconds = try_hint(hint); least == 0 || seconds < least) least = seconds, best = hint;
  if (best.lanes > 0)
    for (int const lanes : {2, 0}) try_hint({best.run, best.vectors, best.tile, lanes});
  if (bytes_of(refitted) < gpu.few_tiles_bytes)
    for (auto const& hint : hints.small) try_hint(hint);
  return sorted(std::move(result));
}

double copy_seconds(std::int64_t bytes, gpu_model const& gpu) {
  return candidates_of(canonical({.modes = {{bytes, 1, 1}}}), {}, gpu).front().seconds;
}

std::string describe(candidate const& each) {
  return std::visit([](auto const& plan) { return describe(plan); }, each.kernel);
}

}  // namespace cornerturn
