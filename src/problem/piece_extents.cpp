#include "problem/piece_extents.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>

#include "base/planning_work.hpp"
#include "base/round.hpp"
#include "problem/extents.hpp"

namespace cornerturn {
namespace {

using extents = std::vector<std::int64_t>;

/// Parts of more elements than this are multiples of it, so that rows in the buffers begin aligned.
constexpr std::int64_t kWhole = 64;

/// The modes that are contiguous on one side, fastest first.
std::vector<std::size_t> chain_of(problem const& p, std::int64_t mode::*stride) {
  std::vector<std::size_t> chain;
  for (std::int64_t next = 1;;) {
    auto const found = std::ranges::find_if(p.modes, [&](mode const& m) { return m.extent > 1 && std::abs(m.*stride) == next; });
    if (found == p.modes.end()) return chain;
    chain.push_back(std::size_t(found - p.modes.begin()));
    next *= found->extent;
  }
}

/// The largest part of an extent of at most `most` indices; a multiple of kWhole if the extent is cut.
std::int64_t part_of(std::int64_t extent, std::int64_t most) {
  return extent <= most ? extent : most > kWhole ? most - most % kWhole : most;
}

/// The number of contiguous runs on one side of the problem, which has `elements` elements, when it is cut into boxes.
double runs_of(problem const& p, std::vector<std::size_t> const& chain, extents const& box, double elements) {
  auto runs = elements;
  for (auto const i : chain) {
    auto const extent = p.modes[i].extent, parts = ceil_div(extent, box[i]);
    runs = runs / double(extent) * double(parts);
    if (parts > 1) break;
  }
  return runs;
}

/// Grows a box until about `wanted` of its elements are contiguous on the chain's side.
void lengthen(problem const& p, std::vector<std::size_t> const& chain, std::int64_t wanted, extents& box) {
  for (auto const i : chain) {
    auto const extent = p.modes[i].extent, part = part_of(extent, wanted);
    box[i] = std::max(box[i], part);
    if (part < extent) return;
    wanted = ceil_div(wanted, part);
  }
}

/// The run lengths that are tried, each about a fifth longer than the last.
extents lengths(std::int64_t most) {
  extents result;
  for (std::int64_t length = 1; length < most; length += ceil_div(length, 5)) result.push_back(length);
  result.push_back(most);
  return result;
}

/// The product; empty if it is above `most`.
std::optional<std::int64_t> product_within(extents const& of, std::int64_t most) {
  std::int64_t result = 1;
  for (auto const each : of)
    if (__builtin_mul_overflow(result, each, &result) || result > most) return std::nullopt;
  return result;
}

}  // namespace

std::vector<std::int64_t> piece_extents(problem const& p, std::int64_t most) {
  extents whole, best(p.modes.size(), 1);
  for (mode const& m : p.modes) whole.push_back(std::max<std::int64_t>(m.extent, 1));
  if (product_within(whole, most)) return whole;

  auto const source = chain_of(p, &mode::source_stride), destination = chain_of(p, &mode::destination_stride);
  double elements = 1;
  for (mode const& m : p.modes) elements *= double(m.extent);
  auto const tried = lengths(most);
  auto fewest = std::numeric_limits<double>::infinity();
  extents reading, box, read_before, box_before;
  for (auto const read : tried) {
    reading.assign(p.modes.size(), 1);
    lengthen(p, source, read, reading);
    if (reading == read_before) continue;  // short modes make many lengths alike
    read_before = reading;
    for (auto const written : tried) {
      ++work_of_planning.pieces;
      box = reading;
      lengthen(p, destination, written, box);
      if (box == box_before) continue;
      box_before = box;
      if (!product_within(box, most)) break;
      auto const runs = runs_of(p, source, box, elements) + runs_of(p, destination, box, elements);
      if (runs < fewest) fewest = runs, best = box;
    }
  }
  // The room that is left goes to the modes with the smallest destination strides.
  for (std::size_t i = best.size(); i-- > 0;) best[i] = std::max(best[i], part_of(whole[i], most / (product(best) / best[i])));
  return best;
}

std::int64_t smallest_piece(problem const& p, std::int64_t run) {
  extents box(p.modes.size(), 1);
  lengthen(p, chain_of(p, &mode::source_stride), run, box);
  lengthen(p, chain_of(p, &mode::destination_stride), run, box);
  return product(box);
}

}  // namespace cornerturn
