#include "pattern/problems.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "cornerturn/text.hpp"
#include "pattern/swizzle.hpp"
#include "problem/int_limit.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {
namespace {

/// Adds the limits of a side, and the indices of its axes to the modes. Returns false if there are too many.
bool add_limits(pattern_side const& side, bool of_source, std::vector<limited_indices>& indices, limited_problem& to) {
  for (auto const& [modes, extent] : side.limits) {
    auto const axis = to.limits.size();
    if (axis == limited_problem::kMostLimits) return false;
    std::int64_t inner = 1;
    for (auto i = modes.size(); i-- > 0;) {
      indices[modes[i]].of_axis[axis] = inner;
      if (__builtin_mul_overflow(inner, to.whole.modes[modes[i]].extent, &inner) || inner > kIntMax) return false;
    }
    to.limits.push_back({extent, of_source});
  }
  return true;
}

/// The problem of a box between layouts of both sides.
problem problem_of(index_box const& box, pattern_copy const& copy, bool is_padded) {
  auto const& move = copy.move;
  auto const to = layout_of(box, move.destination, move);
  auto from = is_padded ? box_layout{0, std::vector<std::int64_t>(box.size(), 0)} : layout_of(box, move.source, move);
  auto result = strided(extents_of(box), from.strides, to.strides, copy.element_size);
  result.source_offset = from.offset, result.destination_offset = to.offset;
  return result;
}

/// True if the swizzles of the copy, if any, are those of offsets in the arrays.
bool swizzles_offsets(pattern_copy const& copy) {
  auto const is_offsets = [](side_swizzle const& each) { return each.selectors.empty() || each.of_offsets; };
  return is_offsets(copy.move.source.swizzle) && is_offsets(copy.move.destination.swizzle);
}

/// The copy as one problem, which has all modes of the move. Returns nothing where `limited_of` does.
std::optional<limited_problem> problem_of(pattern_copy const& copy) {
  auto const& move = copy.move;
  if (!swizzles_offsets(copy) || !(move.is_limited() || move.is_swizzled())) return {};
  limited_problem result{.source_swizzle = move.source.swizzle.of_offsets,
                         .destination_swizzle = move.destination.swizzle.of_offsets};
  result.whole.element_size = copy.element_size;
  for (std::size_t i = 0; i < move.extents.size(); ++i) {
    auto const from = move.source.mode_strides[i], to = move.destination.mode_strides[i];
    if (move.extents[i] > 1 && std::max({from, -kIntMax - from, to, -kIntMax - to}) > kIntMax) return {};
    result.whole.modes.push_back({move.extents[i], from, to});
  }
  std::vector<limited_indices> indices(move.extents.size());
  if (!has_int_offsets(result.whole.modes) || !add_limits(move.source, true, indices, result) ||
      !add_limits(move.destination, false, indices, result))
    return {};
  for (std::size_t i = 0; i < indices.size(); ++i) result.whole.modes[i].factor_stride = indices[i].as_number();
  if (copy.pad.empty()) return result;
  auto const unit = std::gcd(std::ssize(copy.pad), kLargestElement);
  for (std::size_t i = 0; i < copy.pad.size(); ++i)
    if (copy.pad[i] != copy.pad[i % std::size_t(unit)]) return {};
  for (std::size_t i = 0; i < result.pad.size(); ++i) result.pad[i] = copy.pad[i % std::size_t(unit)];
  return result;
}

std::string limits_text(pattern_side const& side, std::string_view name, std::string_view done) {
  std::string text;
  for (auto const& each : side.limits) text += fmt::format(", {} {}", done, each.extent);
  if (!side.swizzle.selectors.empty())
    text += fmt::format(", {} swizzled by modes {} in modes {}", name, fmt::join(side.swizzle.selectors, " "),
                        fmt::join(side.swizzle.flipped, " "));
  return text;
}

}  // namespace

std::optional<limited_problem> limited_of(pattern_copy const& copy) {
  auto result = problem_of(copy);
  if (result) result->whole = canonical(result->whole);
  return result;
}

boxed_problems boxed_problems_of(pattern_copy const& copy) {
  boxed_problems result;
  auto const boxes = boxes_of(copy.move);
  for (auto const& box : boxes.copied) result.copied.push_back(problem_of(box, copy, false));
  for (auto const& box : boxes.padded) result.padded.push_back(problem_of(box, copy, true));
  return result;
}

std::optional<framed_problems> framed_problems_of(pattern_copy const& copy) {
  auto rest = problem_of(copy);
  if (!rest) return {};
  framed_problems result;
  auto const add_edges = [&](pattern_side const& side, bool of_source) {
    for (auto const& [modes, extent] : side.limits) {
      auto const outer = std::ranges::find_if(modes, [&](std::size_t each) { return copy.move.extents[each] > 1; });
      if (outer == modes.end()) return false;
      std::int64_t inner = 1;
      std::for_each(outer + 1, modes.end(), [&](std::size_t each) { inner *= copy.move.extents[each]; });
      auto const all = rest->whole.modes[*outer].extent, whole = std::min(extent / inner, all);
      if (whole == 0) return false;
      if (whole == all) continue;
      if (of_source || extent % inner > 0) {
        result.edges.push_back(*rest);
        result.edges.back().whole = canonical(slice(rest->whole, *outer, whole, all - whole));
      }
      rest->whole = slice(rest->whole, *outer, 0, whole);
    }
    return true;
  };
  if (!add_edges(copy.move.source, true) || !add_edges(copy.move.destination, false)) return {};
  for (auto& each : rest->whole.modes) each.factor_stride = 0;
  result.inside = *rest;
  result.inside.limits.clear();
  result.inside.whole = canonical(rest->whole);
  return result;
}

std::string to_string(pattern_copy const& copy) {
  auto const& [extents, source, destination] = copy.move;
  return fmt::format("({}) from ({}) to ({}) of {} bytes{}{}", fmt::join(extents, ", "), fmt::join(source.mode_strides, ", "),
                     fmt::join(destination.mode_strides, ", "), copy.element_size, limits_text(source, "source", "padded from"),
                     limits_text(destination, "result", "cropped to"));
}

std::string describe(pattern_copy const& copy) {
  auto bytes = [&](std::vector<std::int64_t> strides) {
    for (auto& each : strides) each *= copy.element_size;
    return strides;
  };
  auto const& [extents, source, destination] = copy.move;
  return fmt::format("shape ({}), byte strides ({}) to ({}), elements of {}{}{}", fmt::join(extents, ", "),
                     fmt::join(bytes(source.mode_strides), ", "), fmt::join(bytes(destination.mode_strides), ", "),
                     count_text(copy.element_size, "byte"), limits_text(source, "source", "padded from"),
                     limits_text(destination, "result", "cropped to"));
}

}  // namespace cornerturn
