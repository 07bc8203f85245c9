#include "layout/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>

#include "cornerturn/error.hpp"

namespace cornerturn {
namespace {

using place = layout_problem::place;

// The highest offset whose cosize still fits an int.
constexpr std::int64_t kMaxOffset = kMaxLayoutInteger - 1;
// Bounds the time that a hostile text can take.
constexpr std::int64_t kMaxSteps = std::int64_t(1) << 22;

/// Calls `use` with each extent and its stride, the fastest mode first, until it returns false.
template <class Use>
bool each_mode(int_tuple const& shape, int_tuple const& stride, Use const& use) {
  if (!shape.is_list()) return use(shape.integer.value, stride.integer.value);
  for (std::size_t i = 0; i < shape.items.size(); ++i) {
    if (!each_mode(shape.items[i], stride.items[i], use)) return false;
  }
  return true;
}

bool congruent(int_tuple const& shape, int_tuple const& stride) {
  return std::ranges::equal(shape.items, stride.items, congruent);
}

std::int64_t size_of(int_tuple const& shape) {
  std::int64_t size = 1;
  each_mode(shape, shape, [&](std::int64_t extent, std::int64_t) { return size *= extent, true; });
  return size;
}

layout_problem problem_at(place at, std::string text) { return {0, at, std::move(text)}; }

std::optional<layout_problem> problem_of(strided_layout const& layout) {
  if (!congruent(layout.shape, layout.stride)) return problem_at(place::stride, "shape and stride are nested differently");

  bool const integers = each_mode(layout.shape, layout.stride, [](std::int64_t extent, std::int64_t stride) {
    return extent >= 1 && extent <= kMaxLayoutInteger && stride >= -kMaxLayoutInteger && stride <= kMaxLayoutInteger;
  });
  if (!integers)
    return problem_at(place::stage, fmt::format("extents go from 1 to {0}, strides from -{0} to {0}", kMaxLayoutInteger));

  // Each product and each sum is checked before the next one, so it fits 64 bits.
  std::int64_t size = 1;
  bool const counted = each_mode(layout.shape, layout.stride,
                                 [&](std::int64_t extent, std::int64_t) { return (size *= extent) <= kMaxLayoutInteger; });
  if (!counted) return problem_at(place::stage, fmt::format("it has more than {} elements", kMaxLayoutInteger));

  std::int64_t low = 0, high = 0;
  bool const reached = each_mode(layout.shape, layout.stride, [&](std::int64_t extent, std::int64_t stride) {
    (stride < 0 ? low : high) += (extent - 1) * stride;
    return low >= -kMaxOffset && high <= kMaxOffset;
  });
  if (!reached)
    return problem_at(place::stride,
                      fmt::format("the offsets go {}{}", low < 0 && high <= kMaxOffset ? "below -" : "past ", kMaxOffset));
  return std::nullopt;
}

std::optional<layout_problem> problem_of(swizzle_stage const& stage) {
  std::int64_t const bits = stage.swizzle.bits, base = stage.swizzle.base, shift = stage.swizzle.shift;
  std::int64_t const distance = shift < 0 ? -shift : shift;
  if (bits < 0) return problem_at(place::bits, "a swizzle's bits must be 0 or more");
  if (base < 0) return problem_at(place::base, "a swizzle's base must be 0 or more");
  if (distance < bits)
    return problem_at(place::shift,
                      fmt::format("the shift must be {0} or more, or -{0} or less, as the swizzle has {0} bits", bits));
  if (bits + base + distance > 31)
    return problem_at(place::stage, "the swizzle goes past bit 31: bits, base and shift may add up to 31");
  if (stage.offset.value < -kMaxLayoutInteger || stage.offset.value > kMaxLayoutInteger) {
    return problem_at(place::stage, fmt::format("the swizzle's offset must be from -{0} to {0}", kMaxLayoutInteger));
  }
  return std::nullopt;
}

/// The mask that a swizzle XORs to an offset.
std::int64_t xor_mask(swizzle_bits const& s, std::int64_t offset) {
  std::int64_t const mask = ((std::int64_t(1) << s.bits) - 1) << (s.base + std::max(0, s.shift));
  return s.shift >= 0 ? (offset & mask) >> s.shift : (offset & mask) << -s.shift;
}

std::int64_t evaluate(std::span<layout_stage const> stages, std::int64_t index) {
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
    if (auto const* layout = std::get_if<strided_layout>(&*stage)) {
      index = (*layout)(index);
    } else {
      auto const& [swizzle, offset] = std::get<swizzle_stage>(*stage);
      index = swizzle(index + offset.value);
    }
  }
  return index;
}

/// The offsets of a composition.
struct reach {
  offset_range range;
  bool exact = true;  ///< false: `range` is an outer bound
};

/// The reach after one more stage, which must accept all offsets of `before`.
reach through(layout_stage const& stage, reach const& before) {
  if (auto const* layout = std::get_if<strided_layout>(&stage)) return {layout->offsets(), false};
  auto const& [swizzle, offset] = std::get<swizzle_stage>(stage);
  std::int64_t const low = before.range.low + offset.value, high = before.range.high + offset.value;
  // all bits that may be set in an offset
  std::int64_t const bits = std::int64_t(std::bit_ceil(std::uint64_t(high) + 1)) - 1, changed = xor_mask(swizzle, bits);
  return changed ? reach{{0, bits | changed}, false} : reach{{low, high}, before.exact};
}

/// The exact reach, found by evaluating every index; empty if that takes more than `steps`, which it reduces.
std::optional<reach> evaluate_all(std::span<layout_stage const> stages, std::int64_t& steps) {
  auto const& domain = std::get<strided_layout>(stages.back());
  std::int64_t each = 0;
  for (auto const& stage : stages) {
    if (auto const* layout = std::get_if<strided_layout>(&stage))
      each_mode(layout->shape, layout->stride, [&](std::int64_t, std::int64_t) { return ++each, true; });
    else
      ++each;
  }
  std::int64_t const size = domain.size();
  if (size * each > steps) return std::nullopt;
  steps -= size * each;
  reach found{{evaluate(stages, 0), evaluate(stages, 0)}, true};
  for (std::int64_t i = 1; i < size; ++i) {
    auto const value = evaluate(stages, i);
    found.range.low = std::min(found.range.low, value);
    found.range.high = std::max(found.range.high, value);
  }
  return found;
}

/// Why a stage does not accept these offsets; empty if it does.
std::string rejection_of(layout_stage const& stage, reach const& before) {
  std::int64_t offset = 0, most = kMaxOffset;
  std::string most_text = fmt::format("a swizzle takes at most {}", most);
  if (auto const* swizzle = std::get_if<swizzle_stage>(&stage)) {
    offset = swizzle->offset.value;
  } else {
    most = std::get<strided_layout>(stage).size() - 1;
    most_text = fmt::format("this layout has {} elements", most + 1);
  }
  std::string_view const go = before.exact ? "go" : "may go";
  std::int64_t const low = before.range.low + offset, high = before.range.high + offset;
  if (low < 0) return fmt::format("the offsets that come from its right {} down to {}; they must be 0 or more", go, low);
  if (high > most) return fmt::format("the offsets that come from its right {} up to {}; {}", go, high, most_text);
  return "";
}

/// Computes the reach of all stages from right to left and returns the first error; `steps` limits the evaluation of indices.
std::optional<layout_problem> propagate(std::span<layout_stage const> stages, reach& reached, std::int64_t steps) {
  reached = {std::get<strided_layout>(stages.back()).offsets(), true};
  // an outer bound may reject offsets that do not occur: then the exact ones are computed
  auto const checked = [&](std::size_t first, auto const& rejection) {
    std::string text = rejection();
    if (text.empty() || reached.exact) return text;
    reached = evaluate_all(stages.subspan(first), steps).value_or(reached);
    return rejection();
  };
  for (std::size_t i = stages.size() - 1; i-- > 0;) {
    std::string text = checked(i + 1, [&] { return rejection_of(stages[i], reached); });
    if (text.empty()) {
      reached = through(stages[i], reached);
      text = checked(i, [&] {
        return reached.range.high > kMaxOffset ? fmt::format("its offsets {}go past {}", reached.exact ? "" : "may ", kMaxOffset)
                                               : "";
      });
    }
    if (!text.empty()) return layout_problem{i, place::stage, std::move(text)};
  }
  return std::nullopt;
}

}  // namespace

std::int64_t strided_layout::size() const { return size_of(shape); }

offset_range strided_layout::offsets() const {
  offset_range range;
  each_mode(shape, stride, [&](std::int64_t extent, std::int64_t step) {
    (step < 0 ? range.low : range.high) += (extent - 1) * step;
    return true;
  });
  return range;
}

std::int64_t strided_layout::operator()(std::int64_t index) const {
  std::int64_t offset = 0;
  each_mode(shape, stride, [&](std::int64_t extent, std::int64_t step) {
    offset += index % extent * step;
    index /= extent;
    return true;
  });
  return offset;
}

std::int64_t swizzle_bits::operator()(std::int64_t offset) const { return offset ^ xor_mask(*this, offset); }

std::optional<layout_problem> find_problem(std::span<layout_stage const> stages) {
  if (stages.empty() || !std::holds_alternative<strided_layout>(stages.back())) {
    return layout_problem{stages.empty() ? 0 : stages.size() - 1, place::stage, "the last stage must be a layout"};
  }
  for (std::size_t i = 0; i < stages.size(); ++i) {
    auto problem = std::visit([](auto const& stage) { return problem_of(stage); }, stages[i]);
    if (problem) return problem->stage = i, problem;
  }
  reach reached;
  return propagate(stages, reached, kMaxSteps);
}

layout_expression::layout_expression(std::vector<layout_stage> stages) : stages_(std::move(stages)) {
  if (auto const problem = find_problem(stages_)) {
    throw error({"layout", fmt::format("stage {}", problem->stage + 1), problem->text},
                fmt::format("stage {} of the {{}} is wrong: {}", problem->stage + 1, problem->text));
  }
}

std::vector<std::int64_t> layout_expression::extents() const {
  auto const& shape = domain().shape;
  if (!shape.is_list()) return {shape.integer.value};
  std::vector<std::int64_t> result;
  for (auto const& item : shape.items) result.push_back(size_of(item));
  return result;
}

offset_range layout_expression::offsets() const {
  reach reached;
  propagate(stages_, reached, kMaxSteps);
  if (reached.exact) return reached.range;
  std::int64_t steps = kMaxSteps;
  return evaluate_all(stages_, steps).value_or(reached).range;
}

std::int64_t layout_expression::operator()(std::int64_t index) const { return evaluate(stages_, index); }

int_tuple compact_stride(int_tuple const& shape) {
  // The stride is static as long as all earlier extents are; CuTe makes it _0 for an extent of _1.
  layout_integer next{1, true};
  auto const stride = [&](auto const& self, int_tuple const& of) -> int_tuple {
    int_tuple result;
    for (auto const& item : of.items) result.items.push_back(self(self, item));
    if (of.is_list()) return result;
    if (of.integer == layout_integer{1, true}) return {{0, true}, {}};
    result.integer = next;
    // clamped, because a shape that is too large is rejected later
    next = {std::min(next.value * of.integer.value, kMaxLayoutInteger), next.fixed && of.integer.fixed};
    return result;
  };
  return stride(stride, shape);
}

}  // namespace cornerturn
