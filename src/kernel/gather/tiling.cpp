#include "kernel/gather/tiling.hpp"

#include <cstdlib>
#include <numeric>

#include "base/planning_work.hpp"
#include "block/sizes.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kWidestGap = 16;  ///< bytes between elements of a source row that may be copied and not used

/// The divisor of `extent` nearest to `wanted` if one is within a factor of two, otherwise `extent`.
std::int64_t divisor_near(std::int64_t extent, std::int64_t wanted) {
  for (std::int64_t off = 0; off <= wanted; ++off) {
    if (extent % (wanted + off) == 0) return wanted + off;
    if (2 * (wanted - off) >= wanted && wanted > off && extent % (wanted - off) == 0) return wanted - off;
  }
  return extent;
}

}  // namespace

gather_tiling::gather_tiling(problem const& p) : size(shared_element_size(p)) {
  for (auto const& each : p.modes) modes.push_back({.whole = each});
  by_destination.resize(modes.size());
  std::iota(by_destination.begin(), by_destination.end(), 0);
  auto by_source = by_destination;
  std::ranges::sort(by_destination, {}, [&](int i) { return modes[i].whole.destination_stride; });
  std::ranges::sort(by_source, {}, [&](int i) { return std::abs(modes[i].whole.source_stride); });

  std::int64_t next = 1;
  for (int const i : by_destination) {
    if (modes[i].whole.destination_stride != next) break;
    vector_chain.push_back(i);
    next *= modes[i].whole.extent;
  }
  std::int64_t span = 1;
  for (int const i : by_source) {
    auto const stride = std::abs(modes[i].whole.source_stride);
    if (stride == 0) continue;
    if (stride < span || (stride - span) * size > kWidestGap) break;
    run_chain.push_back(i);
    span += (modes[i].whole.extent - 1) * stride;
  }
}

void gather_tiling::choose(std::int64_t run_elements, std::int64_t vector_elements, std::int64_t tile_elements) {
  ++work_of_planning.tilings;
  choose_row(run_chain, &tiled_mode::run, run_elements);
  choose_row(vector_chain, &tiled_mode::vectors, vector_elements);
  reconcile();
  choose_batch(tile_elements);
}

void gather_tiling::choose_row(std::vector<int> const& chain, std::int64_t tiled_mode::*side, std::int64_t wanted) {
  for (auto& each : modes) each.*side = 0;
  std::int64_t elements = 1;
  for (int const i : chain) {
    if (elements >= wanted) break;
    auto& each = modes[i];
    auto const grain = std::max<std::int64_t>(1, 32 / std::gcd<std::int64_t>(32, size * elements));
    each.*side = balanced_part(each.whole.extent, ceil_div(wanted, elements), grain);
    elements *= each.*side;
    if (each.*side < each.whole.extent) break;
  }
}

int gather_tiling::slowest(std::vector<int> const& chain, std::int64_t tiled_mode::*side) const {
  int last = -1;
  for (int const i : chain)
    if (modes[i].*side) last = i;
  return last;
}

/// Makes `run` and `vectors` agree for modes that are in both. Each side may cut only its slowest mode.
void gather_tiling::reconcile() {
  int const run_last = slowest(run_chain, &tiled_mode::run), vector_last = slowest(vector_chain, &tiled_mode::vectors);
  for (int i = 0; i < int(modes.size()); ++i) {
    auto& each = modes[i];
    if (!each.run || !each.vectors) continue;
    if (i != run_last)
      each.vectors = each.run = each.whole.extent;
    else if (i == vector_last) {
      // Neighbouring vectors that are a multiple of 64 bytes apart in a source row have bank conflicts. A run of one vector puts
      // each vector in a source row of its own.
      auto const vector = kUnitBytes / size;
      if (i == vector_chain.front() && each.whole.source_stride % 4 == 0 && each.vectors > vector) each.run = vector;
      each.vectors = round_up(each.vectors, each.run);
    } else
      each.run = divisor_near(each.whole.extent, each.run), each.vectors = each.whole.extent;
  }
}

std::int64_t gather_tiling::tile_elements() const {
  std::int64_t product = 1;
  for (auto const& each : modes) product *= each.tile();
  return product;
}

bool gather_tiling::ragged(alignment const& aligned, std::int64_t width, std::int64_t offset, std::int64_t row, int cut) const {
  auto const whole = [&](std::int64_t elements) { return elements % width == 0; };
  if (aligned.destination % kUnitBytes || !whole(offset) || !whole(row)) return true;
  if (cut >= 0 && !whole(modes[cut].whole.extent % modes[cut].vectors * (row / modes[cut].vectors))) return true;
  return std::ranges::any_of(modes, [&](tiled_mode const& each) {
    auto const step = std::max<std::int64_t>(each.vectors, 1);
    return each.whole.extent > step && !whole(step * each.whole.destination_stride);
  });
}

/// Adds indices of the other modes until the tile has about `wanted` elements. A mode may have a smaller last part only if one
/// side has no cut mode yet.
void gather_tiling::choose_batch(std::int64_t wanted) {
  for (auto& each : modes) each.batch = 1;
  auto free_sides = 2 - std::ranges::any_of(modes, &tiled_mode::run_cut) - std::ranges::any_of(modes, &tiled_mode::vector_cut);
  auto chosen = tile_elements();
  for (int const i : by_destination) {
    if (chosen >= wanted) return;
    auto& each = modes[i];
    auto const left = each.tiles(), parts = std::min(ceil_div(wanted, chosen), left);
    if (parts <= 1) continue;
    each.batch = ceil_div(left, ceil_div(left, parts));
    bool const may_have_rest = each.run_cut() || each.vector_cut() || each.divides() || free_sides-- > 0;
    if (!may_have_rest) {
      each.batch = parts;
      while (!each.divides()) --each.batch;
    }
    chosen *= each.batch;
  }
}

}  // namespace cornerturn
