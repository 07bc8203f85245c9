#include "explain/python_code.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace cornerturn {
namespace {

std::string python_tuple(int_tuple const& tuple) {
  if (!tuple.is_list()) return fmt::format("{}", tuple.integer.value);
  std::vector<std::string> items;
  for (auto const& item : tuple.items) items.push_back(python_tuple(item));
  return fmt::format("({}{})", fmt::join(items, ", "), items.size() == 1 ? "," : "");
}

swizzle_bits outer_swizzle(layout_expression const& layout) {
  return layout.stages().size() == 1 ? swizzle_bits{} : std::get<swizzle_stage>(layout.stages().front()).swizzle;
}

int exponent_of(std::int64_t power) { return std::countr_zero(std::uint64_t(power)); }

/// A bit of an element's index: which bit of which coordinate it is.
struct index_bit {
  std::size_t axis;
  int bit;
  std::int64_t offset;  ///< of the element whose index has this bit alone, in elements
};

/// Elements that are skipped after each interval, both in elements.
using paddings = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// A tile whose offsets are XORs of the offsets of bits, with paddings or, else, with each offset once.
class bitwise_tile {
 public:
  /// Nothing if the layout is no such tile.
  static std::optional<bitwise_tile> of(layout_expression const& layout) {
    bitwise_tile result(layout);
    if (result.bits_.empty() ||
        !std::ranges::all_of(result.extents_, [](auto e) { return std::has_single_bit(std::uint64_t(e)); }))
      return {};
    if (result.swizzle_.bits == 0 && !result.pad()) return {};
    std::vector<bool> taken(std::size_t(layout.size()));
    for (std::int64_t i = 0; i < layout.size(); ++i) {
      auto const place = result.place_of(i);
      if (std::uint64_t(place) >= taken.size() || taken[std::size_t(place)] || result.padded(place) != layout(i)) return {};
      taken[std::size_t(place)] = true;
    }
    return result;
  }

  /// Gluon's layout.
  std::string code(int element_size) const {
    auto const shape = fmt::format("[{}]", fmt::join(extents_, ", "));
    auto const order = axes_in_order();
    bool const is_plain = same_offsets(order, [](std::int64_t) { return 0; });
    if (!paddings_.empty()) {
      std::vector<std::string> pairs;
      for (auto const& [interval, padding] : paddings_) pairs.push_back(fmt::format("[{}, {}]", interval, padding));
      auto const all = fmt::format("[{}]", fmt::join(pairs, ", "));
      if (is_plain)
        return fmt::format("gl.PaddedSharedLayout.with_identity_for({}, {}, [{}])", all, shape, fmt::join(order, ", "));
      return fmt::format("gl.PaddedSharedLayout({}, {}, [], {})", all, bases(), shape);
    }
    if (is_plain) return fmt::format("gl.SwizzledSharedLayout(1, 1, 1, [{}])", fmt::join(order, ", "));
    if (auto const bytes = nvmma_bytes(element_size, order))
      return fmt::format("gl.NVMMASharedLayout({}, {}, {}, {})", bytes, 8 * element_size, extents_.size(),
                         order.front() == 0 ? "True" : "False");
    if (auto const phases = swizzled_phases(order); !phases.empty())
      return fmt::format("gl.SwizzledSharedLayout({}, [{}])", phases, fmt::join(order, ", "));
    return fmt::format("gl.SharedLinearLayout({})", bases());
  }

 private:
  explicit bitwise_tile(layout_expression const& layout) : extents_(layout.extents()), swizzle_(outer_swizzle(layout)) {
    for (std::size_t axis = 0; axis < extents_.size(); ++axis)
      for (int bit = 0; bit < exponent_of(extents_[axis]); ++bit) {
        auto const index = std::int64_t(1) << bits_.size();
        bits_.push_back({axis, bit, layout(index)});
      }
  }

  /// Takes the paddings out of the offsets, which become powers of two. Returns false if they are no paddings of Gluon.
  bool pad() {
    std::int64_t before = 0;  // elements that are skipped before the offset of the bit below
    auto place = std::int64_t(1);
    for (auto* const each : by_offset()) {
      auto const skipped = each->offset - place, own = skipped - 2 * before;
      if (own < 0 || (own > 0 && !std::has_single_bit(std::uint64_t(own)))) return false;
      if (own > 0) paddings_.emplace_back(place, own);
      each->offset = place, before = skipped, place *= 2;
    }
    return true;
  }

  std::vector<index_bit*> by_offset() {
    std::vector<index_bit*> result;
    for (auto& each : bits_) result.push_back(&each);
    std::ranges::sort(result, {}, &index_bit::offset);
    return result;
  }

  /// The offset of an element without paddings, in elements.
  std::int64_t place_of(std::int64_t index) const {
    std::int64_t place = 0;
    for (std::size_t k = 0; k < bits_.size(); ++k)
      if (index >> k & 1) place ^= bits_[k].offset;
    return place;
  }

  std::int64_t padded(std::int64_t place) const {
    auto result = place;
    for (auto const& [interval, padding] : paddings_) result += place / interval * padding;
    return result;
  }

  /// The axes from the fastest to the slowest one. The highest bit of an offset is not changed by a swizzle of Triton.
  std::vector<std::size_t> axes_in_order() const {
    std::vector<std::size_t> result(extents_.size());
    std::iota(result.begin(), result.end(), std::size_t(0));
    std::ranges::stable_sort(result, {}, [&](std::size_t axis) {
      auto const first = std::ranges::find_if(bits_, [&](auto const& each) { return each.axis == axis && each.bit == 0; });
      return first == bits_.end() ? ~std::uint64_t(0) : std::bit_floor(std::uint64_t(first->offset));
    });
    return result;
  }

  /// True if the axes are dense in an order, and change_of(index of a row) is XORed to the offset of a row along the fastest
  /// axis.
  template <class ChangeOf>
  bool same_offsets(std::vector<std::size_t> const& order, ChangeOf const& change_of) const {
    std::vector<std::int64_t> strides(extents_.size());
    std::int64_t next = 1;
    for (auto const axis : order) strides[axis] = std::exchange(next, next * extents_[axis]);
    auto const columns = extents_[order.front()];
    return std::ranges::all_of(bits_, [&](index_bit const& each) {
      auto const plain = strides[each.axis] << each.bit;
      return each.offset == (plain ^ (each.axis == order.front() ? 0 : change_of(plain / columns)));
    });
  }

  /// The mode of TMA and wgmma in bytes, whose pattern has eight rows; 0 for none.
  std::int64_t nvmma_bytes(int element_size, std::vector<std::size_t> const& order) const {
    constexpr int kRows = 8, kMode = 128, kVector = 16;
    auto const rank = extents_.size();
    auto const bytes = extents_[order.front()] * element_size;
    bool const is_row_major = std::ranges::is_sorted(order, std::ranges::greater());
    bool const has_one_box = rank == 2 || std::ranges::all_of(extents_, [](auto extent) { return extent <= 256; });
    if (rank < 2 || !has_one_box || (!is_row_major && rank > 2)) return 0;
    if (std::ranges::count(std::array{32, 64, kMode}, bytes) == 0 ||
        (std::int64_t(1) << bits_.size()) * element_size < kRows * bytes)
      return 0;
    auto const change = [&](std::int64_t row) { return row < kRows ? row * bytes / kMode * (kVector / element_size) : 0; };
    return same_offsets(order, change) ? bytes : 0;
  }

  /// "vec, per_phase, max_phase"; empty if the swizzle has none.
  std::string swizzled_phases(std::vector<std::size_t> const& order) const {
    auto const& [count, base, shift] = swizzle_;
    auto const columns = extents_[order.front()];
    if (order.size() < 2 || shift < 0 || base + count > exponent_of(columns) || base + shift < exponent_of(columns)) return "";
    auto const vec = std::int64_t(1) << base, per_phase = (std::int64_t(1) << (base + shift)) / columns,
               max_phase = std::int64_t(1) << count;
    auto const rows = extents_[order[1]];
    auto const change = [&](std::int64_t row) { return row < rows ? row / per_phase % max_phase * vec : 0; };
    return same_offsets(order, change) ? fmt::format("{}, {}, {}", vec, per_phase, max_phase) : "";
  }

  /// The coordinates of the elements at offsets 1, 2, 4, …
  std::string bases() const {
    std::vector<std::int64_t> found(bits_.size());
    for (std::int64_t i = 0; i < std::int64_t(1) << bits_.size(); ++i) {
      auto const place = place_of(i);
      if (std::has_single_bit(std::uint64_t(place))) found[std::size_t(exponent_of(place))] = i;
    }
    std::vector<std::string> result;
    for (auto index : found) {
      std::vector<std::int64_t> coordinates;
      for (auto const extent : extents_) coordinates.push_back(index % extent), index /= extent;
      result.push_back(fmt::format("[{}]", fmt::join(coordinates, ", ")));
    }
    return fmt::format("[{}]", fmt::join(result, ", "));
  }

  std::vector<std::int64_t> extents_;
  swizzle_bits swizzle_;
  std::vector<index_bit> bits_;  ///< from the lowest bit of an element's index on
  paddings paddings_;            ///< empty with a swizzle
};

}  // namespace

std::string cute_dsl_code_of(layout_expression const& layout) {
  auto const& plain = layout.domain();
  auto const base = fmt::format("cute.make_layout({}, stride={})", python_tuple(plain.shape), python_tuple(plain.stride));
  if (layout.stages().size() == 1) return fmt::format("layout = {}", base);
  auto const [bits, least, shift] = outer_swizzle(layout);
  return fmt::format("layout = cute.make_composed_layout(cute.make_swizzle({}, {}, {}), 0, {})", bits, least, shift, base);
}

std::string gluon_code_of(layout_expression const& layout, int element_size) {
  constexpr int kMostBytes = 8;
  auto const tile = element_size <= kMostBytes ? bitwise_tile::of(layout) : std::nullopt;
  return tile ? fmt::format("layout: gl.constexpr = {}", tile->code(element_size)) : "";
}

}  // namespace cornerturn
