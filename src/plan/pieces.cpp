#include "plan/pieces.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "problem/canonical.hpp"
#include "problem/slice.hpp"

namespace cornerturn {
namespace {

using extents = std::vector<std::int64_t>;

/// A part that is larger than this is made a multiple of it, so that rows in the buffers begin where vectors do.
constexpr std::int64_t kWhole = 64;

std::int64_t product(extents const& of) { return std::accumulate(of.begin(), of.end(), std::int64_t(1), std::multiplies()); }

/// Elements of a box that lie side by side in an array.
std::int64_t run_of(problem const& p, extents const& box, std::int64_t mode::*stride) {
  std::int64_t run = 1;
  for (std::size_t i = 0; i < box.size();) {
    bool const continues = box[i] > 1 && std::abs(p.modes[i].*stride) == run;
    if (continues) run *= box[i];
    i = continues ? 0 : i + 1;
  }
  return run;
}

/// How many indices of each mode a piece has. One mode after another is cut, each time the one that leaves the longest runs.
extents box_of(problem const& p, std::int64_t most) {
  extents box;
  for (mode const& m : p.modes) box.push_back(m.extent);
  while (product(box) > most) {
    extents best;
    std::int64_t longest = 0;
    for (std::size_t i = 0; i < box.size(); ++i) {
      if (box[i] == 1) continue;
      auto cut = box;
      cut[i] = std::max<std::int64_t>(most / (product(box) / box[i]), 1);
      if (cut[i] > kWhole) cut[i] -= cut[i] % kWhole;
      auto const run = std::min(run_of(p, cut, &mode::source_stride), run_of(p, cut, &mode::destination_stride));
      if (run > longest) best = cut, longest = run;
    }
    box = best;
  }
  return box;
}

/// The strides of a box that lies densely in a buffer, modes in the order that they have in an array and in the direction too;
/// where the array repeats a mode, the buffer has it once. Returns the elements of the buffer; the first index is `offset` in.
std::int64_t lay_out(problem const& part, std::int64_t mode::*stride, extents& strides, std::int64_t& offset) {
  std::vector<std::size_t> order(part.modes.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::abs(part.modes[i].*stride); });
  strides.assign(order.size(), 0);
  std::int64_t elements = 1;
  for (auto const i : order) {
    mode const& m = part.modes[i];
    if (m.*stride == 0) continue;
    strides[i] = m.*stride < 0 ? -elements : elements;
    if (m.*stride < 0) offset += (m.extent - 1) * elements;
    elements *= m.extent;
  }
  return elements;
}

piece piece_of(problem const& part) {
  auto const empty = problem{.modes = {}, .element_size = part.element_size};
  problem pack = empty, move = empty, unpack = empty;
  extents packed, moved;
  auto const packed_elements = lay_out(part, &mode::source_stride, packed, move.source_offset);
  auto const moved_elements = lay_out(part, &mode::destination_stride, moved, move.destination_offset);
  pack.source_offset = part.source_offset, pack.destination_offset = move.source_offset;
  unpack.source_offset = move.destination_offset, unpack.destination_offset = part.destination_offset;
  for (std::size_t i = 0; i < part.modes.size(); ++i) {
    mode const& m = part.modes[i];
    if (packed[i] != 0) pack.modes.push_back({m.extent, m.source_stride, packed[i]});
    move.modes.push_back({m.extent, packed[i], moved[i]});
    unpack.modes.push_back({m.extent, moved[i], m.destination_stride});
  }
  return {canonical(pack), canonical(move), canonical(unpack), packed_elements * part.element_size,
          moved_elements * part.element_size};
}

}  // namespace

std::vector<piece> pieces_of(problem const& canonical, std::int64_t most_bytes) {
  std::vector<piece> result;
  if (std::ranges::any_of(canonical.modes, [](mode const& m) { return m.extent == 0; })) return result;
  auto const box = box_of(canonical, std::max<std::int64_t>(most_bytes / canonical.element_size, 1));
  auto const add = [&](auto const& self, problem const& part, std::size_t i) -> void {
    if (i == box.size()) return result.push_back(piece_of(part));
    auto const extent = canonical.modes[i].extent;
    for (std::int64_t begin = 0; begin < extent; begin += box[i])
      self(self, slice(part, i, begin, std::min(box[i], extent - begin)), i + 1);
  };
  add(add, canonical, 0);
  return result;
}

}  // namespace cornerturn
