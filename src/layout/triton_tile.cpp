#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "layout/triton.hpp"
#include "layout/triton_call.hpp"

namespace cornerturn {
namespace {

using numbers = triton_call::numbers;

constexpr std::string_view kTiles =
                               "SwizzledSharedLayout, NVMMASharedLayout, PaddedSharedLayout or SharedLinearLayout is expected",
                           kShapeFirst = "the shape is expected, [64, 64], say, before it";

int log2_of(std::int64_t power) { return std::countr_zero(std::uint64_t(power)); }

/// What one bit of a coordinate adds to an offset, and which bit it XORs: 0 for none.
struct coordinate_bit {
  std::int64_t stride = 0, change = 0;
};
using coordinate_bits = std::vector<std::vector<coordinate_bit>>;  // by axis

/// Bits whose strides are in proportion are one mode.
strided_layout strided(coordinate_bits const& axes) {
  int_tuple shape{.integer = {}, .items = {}}, stride{.integer = {}, .items = {}};
  for (auto const& bits : axes) {
    std::vector<std::pair<std::int64_t, std::int64_t>> modes;
    for (auto const& bit : bits) {
      if (!modes.empty() && bit.stride == modes.back().first * modes.back().second)
        modes.back().first *= 2;
      else
        modes.emplace_back(2, bit.stride);
    }
    if (modes.empty()) modes.emplace_back(1, 0);
    int_tuple extents{.integer = {modes.front().first}, .items = {}}, strides{.integer = {modes.front().second}, .items = {}};
    if (modes.size() > 1) {
      extents = strides = {};
      for (auto const& [extent, step] : modes) {
        extents.items.push_back({.integer = {extent}, .items = {}});
        strides.items.push_back({.integer = {step}, .items = {}});
      }
    }
    shape.items.push_back(std::move(extents));
    stride.items.push_back(std::move(strides));
  }
  return {std::move(shape), std::move(stride)};
}

/// The swizzle of all bits; nothing if CuTe has none that does the same.
std::optional<swizzle_bits> swizzle_of(coordinate_bits const& axes) {
  std::vector<int> sources;
  std::optional<int> shift;
  for (auto const& bits : axes)
    for (auto const& bit : bits) {
      if (!bit.change) continue;
      if (!triton_call::is_power(bit.stride) || !triton_call::is_power(bit.change)) return std::nullopt;
      int const distance = log2_of(bit.stride) - log2_of(bit.change);
      if (distance <= 0 || distance != shift.value_or(distance)) return std::nullopt;
      shift = distance;
      sources.push_back(log2_of(bit.stride));
    }
  if (sources.empty()) return swizzle_bits{};
  auto const [low, high] = std::ranges::minmax(sources);
  int const count = high - low + 1;
  if (std::size_t(count) != sources.size() || *shift < count) return std::nullopt;
  for (auto const& bits : axes)  // a bit within the range that changes nothing, and sums that are no XOR
    for (auto const& bit : bits)
      if (!triton_call::is_power(bit.stride)) return std::nullopt;
  return swizzle_bits{count, low - *shift, *shift};
}

layout_expression expression_of(triton_call const& call, coordinate_bits const& axes) {
  auto const swizzle = swizzle_of(axes);
  if (!swizzle) call.refuse("bases that are a swizzle of CuTe are expected");
  std::vector<layout_stage> stages;
  if (swizzle->bits) stages.push_back(swizzle_stage{*swizzle, {0, true}});
  stages.push_back(strided(axes));
  return layout_expression(std::move(stages));
}

/// The bits of the index of a tile's element.
int index_bits(triton_call const& call, numbers const& shape) {
  constexpr int kMostBits = 30;
  if (shape.empty()) call.refuse("a shape of at least one axis is expected");
  int result = 0;
  for (auto const extent : shape)
    if ((result += log2_of(extent)) > kMostBits)
      call.refuse(fmt::format("a tile of at most 2^{} elements is expected", kMostBits));
  return result;
}

/// The axes without a swizzle: bits of the fastest axis come first.
coordinate_bits in_order(triton_call const& call, numbers const& shape, numbers const& order) {
  index_bits(call, shape);
  coordinate_bits result(shape.size());
  std::int64_t stride = 1;
  for (auto const axis : order)
    for (std::int64_t bit = 1; bit < shape[std::size_t(axis)]; bit *= 2, stride *= 2)
      result[std::size_t(axis)].push_back({stride, 0});
  return result;
}

coordinate_bits swizzled(triton_call const& call, numbers const& shape) {
  auto const vec = call.power(call.get("vec", 0)), per_phase = call.power(call.get("per_phase", 1)),
             max_phase = call.power(call.get("max_phase", 2));
  auto const order = call.order(call.get("order", 3), shape.size());
  auto result = in_order(call, shape, order);
  if (shape.size() < 2) return result;
  auto const columns = shape[std::size_t(order[0])];
  auto& rows = result[std::size_t(order[1])];
  for (std::size_t bit = std::size_t(log2_of(per_phase)); bit < rows.size(); ++bit) {
    auto const phase = (std::int64_t(1) << bit) / per_phase;
    if (phase < max_phase && vec * phase < columns) rows[bit].change = vec * phase;
  }
  return result;
}

/// The inverse of bases that lead from bits of an offset to coordinates.
coordinate_bits inverse(triton_call const& call, std::vector<numbers> const& bases, numbers const& shape) {
  if (int const all = index_bits(call, shape); bases.size() != std::size_t(all))
    call.refuse(fmt::format("as many bases as the index of an element has bits, {}, are expected", all));
  std::vector<std::pair<std::uint64_t, std::uint64_t>> rows;  // the bits of all coordinates, and those of the offset
  for (std::size_t k = 0; k < bases.size(); ++k) {
    std::uint64_t bits = 0;
    int first = 0;
    for (std::size_t axis = 0; axis < shape.size(); first += log2_of(shape[axis++]))
      bits |= std::uint64_t(bases[k][axis]) << first;
    rows.emplace_back(bits, std::uint64_t(1) << k);
  }
  for (std::size_t bit = 0; bit < rows.size(); ++bit) {
    auto const mask = std::uint64_t(1) << bit;
    auto const pivot =
        std::find_if(rows.begin() + std::ptrdiff_t(bit), rows.end(), [&](auto const& row) { return row.first & mask; });
    if (pivot == rows.end()) call.refuse("bases that lead to each element once are expected");
    std::swap(rows[bit], *pivot);
    for (std::size_t other = 0; other < rows.size(); ++other)
      if (other != bit && rows[other].first & mask) rows[other].first ^= rows[bit].first, rows[other].second ^= rows[bit].second;
  }
  coordinate_bits result(shape.size());
  std::size_t at = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    for (int bit = 0; bit < log2_of(shape[axis]); ++bit, ++at) {
      auto const highest = std::int64_t(std::bit_floor(rows[at].second));
      result[axis].push_back({highest, std::int64_t(rows[at].second) ^ highest});
    }
  return result;
}

/// The bytes of a type such as gl.float16.
int bytes_of(triton_call const& call, python_literal const& type) {
  auto const digits = type.text.find_first_of("0123456789");
  auto const name = type.text.substr(std::min(digits, type.text.size()));
  for (auto const& [bits, bytes] : {std::pair("16", 2), {"32", 4}, {"64", 8}, {"8", 1}})
    if (name.starts_with(bits)) return bytes;
  call.refuse(type, "a type of 8, 16, 32 or 64 bits is expected");
}

/// The swizzle of NVMMASharedLayout: the width of its pattern in bytes, the bits of an element, and whether the first axis is
/// contiguous instead of the last.
struct nvmma_pattern {
  std::int64_t bytes, bits;
  bool transposed;
};

constexpr std::int64_t kPatternRows = 8;

/// The widest pattern of which the tile has whole rows, as NVMMASharedLayout.get_default_for chooses it.
std::int64_t default_pattern(numbers const& shape, std::int64_t bits, bool transposed) {
  std::int64_t const columns = transposed ? shape.front() : shape.back();
  auto const elements = std::accumulate(shape.begin(), shape.end(), std::int64_t(1), std::multiplies());
  if (shape.size() < 2 || elements / columns < kPatternRows) return 0;
  for (auto const bytes : {128, 64, 32})
    if (columns * bits / 8 >= bytes) return bytes;
  return 0;
}

nvmma_pattern nvmma_of(triton_call const& call, numbers const& shape) {
  index_bits(call, shape);
  bool const is_default = call.is({"get_default_for"});
  if (call.flag("fp4_padded", is_default ? 3 : 4)) call.refuse("a layout without fp4_padded is expected");
  nvmma_pattern result{0, 0, call.flag("transposed", is_default ? 2 : 3)};
  if (is_default) {
    result.bits = 8 * bytes_of(call, call.get("dtype", 1));
    result.bytes = default_pattern(shape, result.bits, result.transposed);
    return result;
  }
  auto const& width = call.get("swizzle_byte_width", "swizzling_byte_width", 0);
  if (width.type != python_literal::kind::integer ||
      std::ranges::count(std::array<std::int64_t, 4>{0, 32, 64, 128}, width.number) == 0)
    call.refuse(width, "0, 32, 64 or 128 is expected");
  auto const& bits = call.get("element_bitwidth", 1);
  if (bits.type != python_literal::kind::integer ||
      std::ranges::count(std::array<std::int64_t, 4>{8, 16, 32, 64}, bits.number) == 0)
    call.refuse(bits, "8, 16, 32 or 64 is expected");
  result.bytes = width.number, result.bits = bits.number;
  return result;
}

/// The layout of boxes of TMA: up to 256 elements along each axis, and along the contiguous one the width of the swizzle. A box
/// follows the one before it along the first axis, then along the next.
coordinate_bits nvmma(triton_call const& call, nvmma_pattern const& pattern, numbers const& shape) {
  constexpr std::int64_t kMostOfBox = 256, kVectorBits = 128;
  auto const rank = shape.size(), contiguous = pattern.transposed ? 0 : rank - 1;
  if (pattern.transposed && rank > 2) call.refuse("at most two axes are expected if it is transposed");
  auto box = shape;
  for (auto& extent : box) extent = std::min(extent, kMostOfBox);
  if (pattern.bytes) box[contiguous] = 8 * pattern.bytes / pattern.bits;
  auto const rows = std::accumulate(box.begin(), box.end(), std::int64_t(1), std::multiplies()) / box[contiguous];
  if (pattern.bytes && (rank < 2 || shape[contiguous] < box[contiguous] || rows < kPatternRows))
    call.refuse(fmt::format("a tile of at least {} rows of {} bytes is expected", kPatternRows, pattern.bytes));

  std::vector<numbers> bases;
  auto const add = [&](std::size_t axis, std::int64_t from, std::int64_t to) {
    for (auto bit = from; bit < to; bit *= 2) bases.emplace_back(rank)[axis] = bit;
  };
  add(contiguous, 1, box[contiguous]);
  auto const first = bases.size();
  for (std::size_t axis = rank; axis-- > 0;)
    if (axis != contiguous) add(axis, 1, box[axis]);
  for (std::int64_t row = 1; pattern.bytes && row < kPatternRows; row *= 2)  // one vector further for each 128 bytes of rows
    bases[first + std::size_t(log2_of(row))][contiguous] = row * pattern.bytes / 128 * kVectorBits / pattern.bits;
  for (std::size_t axis = 0; axis < rank; ++axis) add(axis, box[axis], shape[axis]);
  return inverse(call, bases, shape);
}

/// The shape that bases reach.
numbers shape_of(std::vector<numbers> const& bases, std::size_t rank) {
  numbers result(rank, 1);
  for (auto const& basis : bases)
    for (std::size_t axis = 0; axis < rank; ++axis)
      result[axis] = std::max(result[axis], std::int64_t(std::bit_ceil(std::uint64_t(basis[axis]) + 1)));
  return result;
}

coordinate_bits of_bases(triton_call const& call, python_literal const& given) {
  if (given.type != python_literal::kind::list || given.items.empty()) call.refuse(given, "a list of bases is expected");
  auto const rank = given.items.front().items.size();
  auto const bases = call.bases(given, rank);
  return inverse(call, bases, shape_of(bases, rank));
}

/// A layout with padding after each interval of elements.
coordinate_bits padded(triton_call const& call, numbers const& shape) {
  bool const is_identity = call.is({"with_identity_for"});
  auto const& pairs = call.get("interval_padding_pairs", 0);
  auto const* const bases = is_identity ? nullptr : call.find("offset_bases", 1);
  bool const has_bases = bases && bases->type == python_literal::kind::list && !bases->items.empty() &&
                         bases->items.front().type == python_literal::kind::list;
  auto const* const own = call.find("shape", is_identity ? 1 : 3);
  auto const extents = own && own->type == python_literal::kind::list ? call.powers(*own, 0) : shape;
  auto result = has_bases ? of_bases(call, *bases)
                          : in_order(call, extents, call.order(call.get("order", is_identity ? 2 : 1), extents.size()));
  if (pairs.type != python_literal::kind::list) call.refuse(pairs, "a list of pairs [interval, padding] is expected");
  std::vector<std::pair<std::int64_t, std::int64_t>> paddings;
  for (auto const& each : pairs.items) {
    auto const pair = call.powers(each, 2);
    paddings.emplace_back(pair[0], pair[1]);
  }
  for (auto& axis : result)
    for (auto& bit : axis) {
      if (bit.change && !paddings.empty()) call.refuse("bases without a swizzle are expected beside a padding");
      auto const unpadded = bit.stride;
      for (auto const& [interval, padding] : paddings)
        if (interval <= unpadded) bit.stride += unpadded / interval * padding;
    }
  return result;
}

}  // namespace

bool is_triton(std::string_view text) {
  auto const first = text.find_first_not_of(" \t\n");
  return text.find("Layout(") != text.npos || text.find("Layout.") != text.npos || text.find("#ttg.") != text.npos ||
         (first != text.npos && text[first] == '{');
}

tile_layout parse_triton_tile(std::string_view argument, std::string_view text, int element_size) {
  constexpr int kUsual = 4;
  auto const all = parse_python(argument, text);
  bool const is_allocation = all.items.size() == 1 && all.items[0].text == "allocate_shared_memory";
  python_literal const *layout = nullptr, *shape = nullptr, *type = nullptr;
  for (auto const& each : is_allocation ? all.items[0].items : all.items)
    (each.type == python_literal::kind::call ? layout : each.type == python_literal::kind::list ? shape : type) = &each;
  triton_call const call(argument, text, layout ? *layout : all);
  if (!layout) call.refuse(kTiles);
  call.expect_one_block();
  auto const sized = [&](int bytes, python_literal const& of) {
    if (element_size && element_size != bytes)
      call.refuse(of, fmt::format("its elements have {}, and {} were given", count_text(bytes, "byte"), element_size));
    element_size = bytes;
  };
  if (type) sized(bytes_of(call, *type), *type);
  if (call.is({"get_default_for"}) && !shape) shape = &call.get("block_shape", 0);
  auto const given = shape ? call.powers(*shape, 0) : numbers();
  auto const with = [&](coordinate_bits const& axes) {
    numbers extents;
    for (auto const& bits : axes) extents.push_back(std::int64_t(1) << bits.size());
    if (shape && given != extents)
      call.refuse(*shape, fmt::format("the shape of the bases, [{}], is expected", fmt::join(extents, ", ")));
    return tile_layout{expression_of(call, axes), element_size ? element_size : kUsual};
  };
  if (call.is({"SharedLinearLayout", "shared_linear"})) return with(of_bases(call, call.get("offset_bases", 0)));
  if (call.is({"PaddedSharedLayout", "with_identity_for"})) {
    if (!shape && !call.find("shape", 3) && !call.is({"with_identity_for"})) call.refuse(kShapeFirst);
    return with(padded(call, given));
  }
  bool const is_nvmma = call.is({"NVMMASharedLayout", "nvmma_shared", "get_default_for"});
  if (!is_nvmma && !call.is({"SwizzledSharedLayout", "swizzled_shared"})) call.refuse(kTiles);
  if (!shape) call.refuse(kShapeFirst);
  if (!is_nvmma) return with(swizzled(call, given));
  auto const pattern = nvmma_of(call, given);
  sized(int(pattern.bits / 8), *layout);
  return with(nvmma(call, pattern, given));
}

}  // namespace cornerturn
