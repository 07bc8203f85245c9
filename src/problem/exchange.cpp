#include "problem/exchange.hpp"

#include <cstdlib>

#include "problem/canonical.hpp"

namespace cornerturn {

panel_strides placed_exchange::strides_of(run_gaps const& places, std::int64_t lines, std::int64_t across) const {
  auto const row = between * across, pitch = places.offset_of(row, run);
  return {pitch, lines * pitch, places.group > row ? places.gap : 0};
}

bool placed_exchange::is_shifted() const {
  auto const from = source_strides(), to = destination_strides();
  return from.stride != to.stride || from.gap != to.gap;
}

bool placed_exchange::is_descending() const {
  auto const from = source_strides(), to = destination_strides();
  return to.stride > from.stride || to.gap > from.gap;
}

std::int64_t placed_exchange::read_before() const {
  if (!is_shifted()) return 0;
  auto const from = source_strides(), to = destination_strides();
  auto const last = panels - 1,
             farthest = last * std::abs(from.stride - to.stride) + last / panel_group() * std::abs(from.gap - to.gap);
  return std::min(last, (farthest + std::max(from.stride, to.stride)) / from.stride);
}

problem problem_of(placed_exchange const& each) {
  auto const from = each.source_strides(), to = each.destination_strides();
  auto const new_slot = each.destination.offset_of(each.rows, each.run);
  return {.modes = {{each.batch, each.array_stride, each.array_stride},
                    {each.panels, from.stride, to.stride},
                    {each.columns, each.run, to.pitch},
                    {each.between, each.slot_stride(), new_slot},
                    {each.rows, from.pitch, each.run},
                    {each.run, 1, 1}},
          .element_size = each.element_size,
          .source_offset = each.offset,
          .destination_offset = each.offset};
}

std::optional<placed_exchange> exchange_of(problem const& canonical) {
  auto modes = canonical.modes;  // by falling destination stride
  exchange extents;
  if (!modes.empty() && stays(modes.back()) && modes.back().destination_stride == 1) {
    extents.run = modes.back().extent;
    modes.pop_back();
  }
  if (modes.size() > 2 && stays(modes.front())) {
    extents.batch = modes.front().extent;
    modes.erase(modes.begin());
  }
  if (modes.size() != 2 && modes.size() != 3) return std::nullopt;
  extents.columns = modes.front().extent, extents.rows = modes.back().extent;
  if (modes.size() == 3) extents.between = modes[1].extent;

  placed_exchange result(extents, shared_element_size(canonical));
  result.offset = canonical.source_offset;
  auto expected = problem_of(result);
  std::erase_if(expected.modes, [](mode const& each) { return each.extent == 1; });
  return expected == canonical ? std::optional(result) : std::nullopt;
}

}  // namespace cornerturn
