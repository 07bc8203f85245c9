#include <algorithm>
#include <array>
#include <span>

#include "kernel/gather/plan.hpp"

namespace cornerturn {
namespace {

/// The tile sizes to try for one element size. Small arrays also try the sizes of `small`, because larger tiles would leave
/// SMs idle. A size is left out if the shortest estimates on an H200 hardly get longer without it, because planning takes
/// time.
struct gather_hints {
  std::span<tile_hint const> all;
  std::array<tile_hint, 3> small;
};

gather_hints gather_hints_for(std::int64_t element_size) {
  constexpr std::int64_t k = 1 << 10;
  static constexpr tile_hint kBytes[] = {{4 * k, 256, 24 * k, 4}, {256, 128, 16 * k, 4},   {512, 512, 16 * k, 4},
                                         {4 * k, 128, 32 * k, 4}, {16 * k, 256, 8 * k, 4}, {128, 1024, 16 * k, 4},
                                         {256, 1024, 16 * k, 4}};
  static constexpr tile_hint kPairs[] = {
      {16 * k, 128, 8 * k}, {1024, 512, 16 * k}, {4 * k, 1024, 16 * k}, {512, 256, 16 * k}, {128, 512, 8 * k}};
  static constexpr tile_hint kWords[] = {{4 * k, 512, 16 * k}, {512, 128, 8 * k},   {1024, 1024, 16 * k},
                                         {128, 1024, 32 * k},  {256, 1024, 48 * k}, {1024, 4 * k, 48 * k}};
  static constexpr tile_hint kDoubles[] = {{512, 512, 8 * k}, {4 * k, 512, 8 * k}, {1024, 1024, 16 * k}, {512, 256, 8 * k}};
  static constexpr tile_hint kLarge[] = {{512, 1024, 16 * k}, {4 * k, 1024, 16 * k}, {256, 512, 8 * k}};
  if (element_size == 1) return {kBytes, {{{4 * k, 64, 4 * k, 4}, {128, 256, 16 * k, 4}, {128, 64, 8 * k, 4}}}};
  if (element_size == 2) return {kPairs, {{{256, 128, 4 * k}, {1024, 128, 8 * k}, {128, 1024, 8 * k}}}};
  if (element_size == 4) return {kWords, {{{256, 256, 4 * k}, {256, 1024, 8 * k}, {256, 128, 8 * k}}}};
  if (element_size == 8) return {kDoubles, {{{256, 512, 8 * k}, {16 * k, 512, 4 * k}, {1024, 128, 8 * k}}}};
  return {kLarge, {{{1024, 128, 8 * k}, {128, 512, 8 * k}, {16 * k, 512, 16 * k}}}};
}

}  // namespace

std::vector<gather_plan> gather_plan::candidates(problem const& refitted, alignment const& aligned, gpu_model const& gpu) {
  std::vector<gather_plan> result;
  result.reserve(16);
  // Several hints may give the same tiles. Only the fastest of these candidates is kept.
  auto const try_hint = [&](tile_hint const& hint) {
    auto plan = plan_gather(refitted, aligned, hint, gpu);
    double const seconds = expected_seconds(plan, gpu);
    auto const known = std::ranges::find_if(result, [&](auto const& other) { return other.parameters() == plan.parameters(); });
    if (known == result.end())
      result.push_back(std::move(plan));
    else if (seconds < expected_seconds(*known, gpu))
      *known = std::move(plan);
    return seconds;
  };
  // Loads of single bytes have bank conflicts, so the best tile for them is also tried with 2 lanes and with the default number.
  auto const hints = gather_hints_for(shared_element_size(refitted));
  tile_hint best;
  for (double least = 0; auto const& hint : hints.all)
    if (double const seconds = try_hint(hint); least == 0 || seconds < least) least = seconds, best = hint;
  if (best.lanes > 0)
    for (int const lanes : {2, 0}) try_hint({best.run, best.vectors, best.tile, lanes});
  if (double(bytes_of(refitted)) < gpu.few_tiles_bytes)
    for (auto const& hint : hints.small) try_hint(hint);
  return result;
}

plan_decisions<gather_plan> gather_plan::decisions() {
  return {{element_decision<gather_plan>(),
           {"stores", {"vectors", "single elements"}, [](gather_plan const& plan) { return plan.form.single; }},
           {"ends", {"whole rows", "ragged rows"}, [](gather_plan const& plan) { return plan.form.ragged; }},
           {"tiles", {"one tile", "several tiles"}, [](gather_plan const& plan) { return plan.job.tiles > 1; }}},
          {{"16 bytes", {"vectors", "ragged rows"}, "an element is a vector"},
           {"single elements", {"ragged rows"}, "there are no vectors"}}};
}

}  // namespace cornerturn
