#include "problem/squares.hpp"

#include <algorithm>
#include <vector>

#include "problem/canonical.hpp"

namespace cornerturn {
namespace {

bool is_swapped_with(mode const& a, mode const& b) {
  return a.extent == b.extent && a.source_stride == b.destination_stride && a.destination_stride == b.source_stride;
}

}  // namespace

std::optional<squares> squares_of(problem const& canonical) {
  if (canonical.source_offset != canonical.destination_offset) return std::nullopt;
  std::vector<mode> swapped, batch;  // both by falling destination stride, as the canonical order is
  for (auto const& each : canonical.modes) (stays(each) ? batch : swapped).push_back(each);
  if (swapped.size() != 2 || !is_swapped_with(swapped[0], swapped[1])) return std::nullopt;

  squares result{.extent = swapped[0].extent,
                 .pitch = swapped[0].destination_stride,
                 .element_size = shared_element_size(canonical),
                 .offset = canonical.source_offset};
  if (!batch.empty() && batch.back().destination_stride == 1) {
    result.run = batch.back().extent;
    batch.pop_back();
  }
  if (swapped[1].destination_stride != result.run || batch.size() > 2) return std::nullopt;
  if (!batch.empty()) result.outer = {batch.front().extent, batch.front().destination_stride};
  if (batch.size() == 2) result.inner = {batch.back().extent, batch.back().destination_stride};
  return result;
}

}  // namespace cornerturn
