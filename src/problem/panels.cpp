#include "problem/panels.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "problem/canonical.hpp"

namespace cornerturn {

std::int64_t panels::read_before() const {
  if (!is_shifted()) return 0;
  auto const last = count - 1, farthest = last * std::abs(source_stride - destination_stride) +
                                          last / group * std::abs(source_gap - destination_gap);
  return std::min(last, (farthest + std::max(source_stride, destination_stride)) / source_stride);
}

std::optional<panels> panels_of(problem const& canonical) {
  if (canonical.source_offset != canonical.destination_offset) return std::nullopt;
  panels result{.element_size = shared_element_size(canonical), .offset = canonical.source_offset};
  auto modes = canonical.modes;  // by falling destination stride
  if (!modes.empty() && stays(modes.back()) && modes.back().destination_stride == 1) {
    result.run = modes.back().extent;
    modes.pop_back();
  }
  if (modes.size() > 2 && stays(modes.front())) {
    result.batch = {modes.front().extent, modes.front().source_stride};
    modes.erase(modes.begin());
  }
  if (modes.size() == 2) modes.insert(modes.begin() + 1, {1, 0, 0});
  if (modes.size() != 3) return std::nullopt;

  result.columns = modes[0].extent, result.slots = modes[1].extent, result.rows = modes[2].extent;
  result.source_pitch = result.slots * result.columns * result.run;
  result.destination_pitch = result.slots * result.rows * result.run;
  result.source_stride = result.destination_stride = result.rows * result.source_pitch;
  mode const slot = result.slots == 1 ? mode{1, 0, 0} : mode{result.slots, result.columns * result.run, result.rows * result.run};
  std::vector<mode> const expected{
      {result.columns, result.run, result.destination_pitch}, slot, {result.rows, result.source_pitch, result.run}};
  bool const is_dense = result.batch.count == 1 || result.batch.stride == result.source_stride;
  return modes == expected && is_dense && result.rows != result.columns ? std::optional(result) : std::nullopt;
}

}  // namespace cornerturn
