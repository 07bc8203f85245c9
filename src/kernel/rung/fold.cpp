#include "kernel/rung/fold.hpp"

#include <algorithm>
#include <vector>

namespace cornerturn {
namespace {

/// Removes the first mode that `wanted` accepts from `modes` and returns it.
template <class Wanted>
std::optional<mode> take(std::vector<mode>& modes, Wanted const& wanted) {
  auto const found = std::ranges::find_if(modes, wanted);
  if (found == modes.end()) return std::nullopt;
  mode const result = *found;
  modes.erase(found);
  return result;
}

}  // namespace

std::optional<folded> fold(problem const& canonical) {
  auto modes = canonical.modes;
  auto const source_contiguous = [](mode const& m) { return m.source_stride == 1; };
  auto const destination_contiguous = [](mode const& m) { return m.destination_stride == 1; };
  auto const both_contiguous = [&](mode const& m) { return source_contiguous(m) && destination_contiguous(m); };

  folded result;
  auto cols = take(modes, both_contiguous);
  std::optional<mode> rows;
  if (cols || modes.empty() || modes.front().extent == 0) {
    rows = take(modes, [](mode const&) { return true; });
  } else {
    result.transposed = true;
    rows = take(modes, destination_contiguous);
    cols = take(modes, source_contiguous);
    if (!rows && !cols) return std::nullopt;
  }
  auto const batch = take(modes, [](mode const&) { return true; });
  if (!modes.empty()) return std::nullopt;

  auto& shape = result.shape;
  shape.rows = rows ? rows->extent : 1;
  shape.cols = cols ? cols->extent : 1;
  shape.source_pitch = rows ? rows->source_stride : shape.cols;
  if (result.transposed)
    shape.destination_pitch = cols ? cols->destination_stride : shape.rows;
  else
    shape.destination_pitch = rows ? rows->destination_stride : shape.cols;
  if (batch) {
    shape.batch = batch->extent;
    shape.source_batch_stride = batch->source_stride;
    shape.destination_batch_stride = batch->destination_stride;
  }
  return result;
}

}  // namespace cornerturn
