#include "kernel/tiled/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/round.hpp"
#include "cornerturn/text.hpp"
#include "kernel/tiled/box.hpp"
#include "kernel/tiled/decisions.hpp"
#include "problem/canonical.hpp"

namespace cornerturn {
namespace {

/// The index of the first compiled widths that a box allows; -1 if there are none.
int widths_for(tiled_box const& box, problem const& p, alignment const& aligned) {
  auto const widest = box.widest(p, aligned);
  auto const all = tiled_widths_of(box.sizes.source);
  auto const found = std::ranges::find_if(all, [&](tiled_widths const& each) {
    return widest.load % each.load == 0 && widest.rows % each.rows == 0 && widest.store % each.store == 0;
  });
  return found == all.end() ? -1 : int(found - all.begin());
}

/// Plans tiles that are a box.
std::optional<tiled_plan> plan_box(tiled_box& box, problem const& p, alignment const& aligned) {
  int const program = widths_for(box, p, aligned);
  if (program < 0) return {};
  auto const layout = lay_out(box, p, tiled_widths_of(box.sizes.source)[std::size_t(program)]);
  if (!layout) return {};
  return tiled_plan{*layout, program,
                    kTiledThreads[layout->elements * box.sizes.source > kTiledThreads[0] * kTiledBytesPerThread],
                    int(box.sizes.source)};
}

/// The fewest bytes of runs, contiguous on both sides, with which `direct` is faster, because it needs no shared memory.
constexpr std::int64_t kLongRun = 128;

constexpr std::int64_t kSmall = 8 << 10, kLarge = 16 << 10;  ///< bytes that 128 threads hold, and 256 threads

/// The tile sizes to try for one element size. On an H200 the fastest of them was within 1 % of the fastest of all.
std::span<tiled_hint const> tiled_hints_for(std::int64_t element_size) {
  static constexpr tiled_hint kBytes[] = {{128, 64, kSmall}, {256, 64, kLarge}, {64, 256, kLarge}, {8, 2048, kLarge}};
  static constexpr tiled_hint kPairs[] = {{256, 64, kSmall}, {128, 128, kSmall}, {128, 256, kLarge}, {256, 128, kLarge}};
  static constexpr tiled_hint kWords[] = {{128, 256, kSmall}, {512, 64, kSmall}, {256, 256, kLarge}, {512, 128, kLarge}};
  static constexpr tiled_hint kDoubles[] = {{256, 256, kSmall}, {128, 512, kSmall}, {512, 128, kSmall}, {512, 256, kLarge}};
  static constexpr tiled_hint kWide[] = {{256, 512, kSmall}, {64, 2048, kSmall}, {2048, 64, kSmall}, {256, 1024, kLarge}};
  return element_size == 1   ? std::span<tiled_hint const>(kBytes)
         : element_size == 2 ? std::span<tiled_hint const>(kPairs)
         : element_size == 4 ? std::span<tiled_hint const>(kWords)
         : element_size == 8 ? std::span<tiled_hint const>(kDoubles)
                             : std::span<tiled_hint const>(kWide);
}

}  // namespace

std::optional<tiled_plan> plan_tiled(problem const& p, alignment const& aligned, tiled_hint const& hint) {
  if (!can_lay_out(p)) return {};
  tiled_box box(p);
  box.choose(hint);
  return plan_box(box, p, aligned);
}

std::string_view idea_of(tiled_plan const&) {
  return "small tiles of a few modes: vectors of the source are transposed in registers and in shared memory";
}

std::string describe(tiled_plan const& plan) {
  auto const widths = plan.widths();
  return fmt::format(
      "tiled, {} threads: {} of {} of {}, runs of {} in the source and {} in the destination, loads of {} x {} and "
      "stores of {}, {} bytes of shared memory",
      plan.threads, count_text(plan.blocks, "block"), count_text(plan.elements, "element"), count_text(plan.element_size, "byte"),
      plan.run, plan.vectors, widths.rows, widths.load, widths.store, plan.shared_bytes);
}

std::vector<tiled_plan> tiled_plan::candidates(problem const& refitted, alignment const& aligned, gpu_model const&) {
  std::vector<tiled_plan> result;
  if (!can_lay_out(refitted) || std::ranges::all_of(refitted.modes, stays)) return result;  // a plain copy needs no tiles
  tiled_box box(refitted);
  auto const& fastest = refitted.modes.back();
  if (stays(fastest) && fastest.extent * box.sizes.source >= kLongRun) return result;
  auto const hints = tiled_hints_for(box.sizes.source);
  result.reserve(hints.size());
  for (auto const& hint : hints) {
    box.choose(hint);
    bool const is_known = std::ranges::any_of(result, [&](auto const& other) {
      return other.run == box.run && other.vectors == box.vectors && other.elements == box.elements;
    });
    if (is_known) continue;
    auto const plan = plan_box(box, refitted, aligned);
    // If one tile cannot be planned, the others hardly ever can.
    if (!plan) break;
    result.push_back(*plan);
  }
  return result;
}

plan_decisions<tiled_plan> tiled_plan::decisions() {
  return joined<tiled_plan>(
      {{element_decision<tiled_plan>(),
        {"loads", {"elements loaded", "vectors loaded"}, [](tiled_plan const& plan) { return plan.widths().load > 1; }},
        {"stores", {"elements stored", "vectors stored"}, [](tiled_plan const& plan) { return plan.widths().store > 1; }},
        {"threads", {"128", "256"}, [](tiled_plan const& plan) { return plan.threads != kTiledThreads[0]; }}},
       {{"16 bytes", {"vectors loaded", "vectors stored"}, "an element is a vector"},
        {"elements loaded", {"1 byte", "2 bytes"}, "all compiled widths load several"},
        {"elements stored", {"1 byte", "2 bytes", "4 bytes"}, "all compiled widths store several"}}},
      layout_decisions<tiled_plan>());
}

}  // namespace cornerturn
