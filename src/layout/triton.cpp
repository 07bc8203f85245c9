#include "layout/triton.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "base/refuse.hpp"
#include "block/sizes.hpp"
#include "cornerturn/text.hpp"
#include "layout/python_literal.hpp"

namespace cornerturn {
namespace {

using kind = python_literal::kind;
using numbers = std::vector<std::int64_t>;

constexpr std::int64_t kMostExtent = 1 << 18, kMostHeld = 1 << 18, kMostThreads = 1024;

int log2_of(std::int64_t power) { return std::countr_zero(std::uint64_t(power)); }
bool is_power(std::int64_t number) { return number > 0 && std::has_single_bit(std::uint64_t(number)); }

/// "sizePerThread" and "size_per_thread" are one name.
bool same_name(std::string_view one, std::string_view other) {
  auto const plain = [](std::string_view name) {
    std::string result;
    for (char const c : name)
      if (c != '_') result += char(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return result;
  };
  return plain(one) == plain(other);
}

/// A layout's name and arguments.
class triton_call {
 public:
  triton_call(std::string_view argument, std::string_view source, python_literal const& call)
      : argument_(argument), source_(source), call_(call) {}

  bool is(std::initializer_list<std::string_view> names) const {
    return std::ranges::any_of(names, [&](auto name) { return call_.type == kind::call && same_name(call_.text, name); });
  }

  [[noreturn]] void refuse(python_literal const& at, std::string_view problem) const {
    refuse_literal(argument_, source_, at.at, problem);
  }
  [[noreturn]] void refuse(std::string_view problem) const { refuse(call_, problem); }

  /// The argument with a name or at a position; null if it is not given.
  python_literal const* find(std::string_view name, std::size_t position) const {
    for (std::size_t i = 0; i < call_.items.size(); ++i)
      if (call_.names[i].empty() ? i == position : same_name(call_.names[i], name)) return &call_.items[i];
    return nullptr;
  }
  /// The same by either of two names.
  python_literal const* find(std::string_view name, std::string_view other, std::size_t position) const {
    auto const* const found = find(name, position);
    return found ? found : find(other, position);
  }
  python_literal const& get(std::string_view name, std::size_t position) const {
    if (auto const* const found = find(name, position)) return *found;
    refuse(fmt::format("'{}' is expected", name));
  }

  std::int64_t power(python_literal const& of) const {
    if (of.type != kind::integer || !is_power(of.number) || of.number > kMostExtent)
      refuse(of, fmt::format("a power of two up to {} is expected", kMostExtent));
    return of.number;
  }
  numbers list(python_literal const& of) const {
    if (of.type != kind::list) refuse(of, "a list is expected");
    numbers result;
    for (auto const& each : of.items) {
      if (each.type != kind::integer) refuse(each, "a number is expected");
      result.push_back(each.number);
    }
    return result;
  }
  numbers powers(python_literal const& of, std::size_t rank) const {
    auto const result = list(of);
    if (rank && result.size() != rank)
      refuse(of, fmt::format("a list of {} is expected", count_text(std::int64_t(rank), "number")));
    for (auto const& each : of.items) power(each);
    return result;
  }
  /// The axes from the fastest to the slowest one.
  numbers order(python_literal const& of, std::size_t rank) const {
    auto const result = list(of);
    auto sorted = result;
    std::ranges::sort(sorted);
    numbers expected(rank);
    std::iota(expected.begin(), expected.end(), 0);
    if (sorted != expected) refuse(of, fmt::format("a list with each axis from 0 to {} is expected", rank - 1));
    return result;
  }
  std::vector<numbers> bases(python_literal const& of, std::size_t rank) const {
    if (of.type != kind::list) refuse(of, "a list of bases is expected");
    std::vector<numbers> result;
    for (auto const& each : of.items) {
      result.push_back(list(each));
      if (result.back().size() != rank || std::ranges::any_of(result.back(), [](auto c) { return c > kMostExtent; }))
        refuse(each,
               fmt::format("a basis of {} up to {} is expected", count_text(std::int64_t(rank), "coordinate"), kMostExtent));
    }
    return result;
  }

  /// Refuses a layout over several blocks.
  void expect_one_block() const {
    for (auto const* name : {"ctas_per_cga", "cga_layout", "block_bases", "block"})
      if (auto const* const given = find(name, kNowhere); given && given->type == kind::list)
        for (auto const& each : given->items)
          if (each.type != kind::integer || each.number != 1) refuse(*given, "a layout of one block is expected");
  }

 private:
  static constexpr auto kNowhere = std::size_t(-1);
  std::string_view argument_, source_;
  python_literal const& call_;
};

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
      if (!is_power(bit.stride) || !is_power(bit.change)) return std::nullopt;
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
      if (!is_power(bit.stride)) return std::nullopt;
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

/// The shape that bases reach.
numbers shape_of(std::vector<numbers> const& bases, std::size_t rank) {
  numbers result(rank, 1);
  for (auto const& basis : bases)
    for (std::size_t axis = 0; axis < rank; ++axis)
      result[axis] = std::max(result[axis], std::int64_t(std::bit_ceil(std::uint64_t(basis[axis]) + 1)));
  return result;
}

coordinate_bits of_bases(triton_call const& call, python_literal const& given) {
  if (given.type != kind::list || given.items.empty()) call.refuse(given, "a list of bases is expected");
  auto const rank = given.items.front().items.size();
  auto const bases = call.bases(given, rank);
  return inverse(call, bases, shape_of(bases, rank));
}

/// A layout with padding after each interval of elements.
coordinate_bits padded(triton_call const& call, numbers const& shape) {
  bool const is_identity = call.is({"with_identity_for"});
  auto const& pairs = call.get("interval_padding_pairs", 0);
  auto const* const bases = is_identity ? nullptr : call.find("offset_bases", 1);
  bool const has_bases = bases && bases->type == kind::list && !bases->items.empty() && bases->items.front().type == kind::list;
  auto const* const own = call.find("shape", is_identity ? 1 : 3);
  auto const extents = own && own->type == kind::list ? call.powers(*own, 0) : shape;
  auto result = has_bases ? of_bases(call, *bases)
                          : in_order(call, extents, call.order(call.get("order", is_identity ? 2 : 1), extents.size()));
  if (pairs.type != kind::list) call.refuse(pairs, "a list of pairs [interval, padding] is expected");
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

/// The bytes of a type such as gl.float16.
int bytes_of(triton_call const& call, python_literal const& type) {
  auto const digits = type.text.find_first_of("0123456789");
  auto const name = type.text.substr(std::min(digits, type.text.size()));
  for (auto const& [bits, bytes] : {std::pair("16", 2), {"32", 4}, {"64", 8}, {"8", 1}})
    if (name.starts_with(bits)) return bytes;
  call.refuse(type, "a type of 8, 16, 32 or 64 bits is expected");
}

/// Bases of registers, lanes and warps as changes of an element's linear coordinate.
struct held_bases {
  numbers registers, lanes, warps;
};

held_bases blocked(triton_call const& call, numbers const& extents) {
  auto const rank = extents.size();
  auto const values = call.powers(call.get("size_per_thread", 0), rank),
             lanes = call.powers(call.get("threads_per_warp", 1), rank), warps = call.powers(call.get("warps_per_cta", 2), rank);
  auto const order = call.order(call.get("order", 3), rank);
  numbers first(rank, 1), next(rank, 1);  // linear coordinates: of the axis's first element and of its next bit
  for (std::size_t axis = 1; axis < rank; ++axis) first[axis] = first[axis - 1] * extents[axis - 1];
  held_bases result;
  auto const add = [&](numbers& into, numbers const& counts) {
    for (auto const axis : order)
      for (std::int64_t bit = 1; bit < counts[std::size_t(axis)]; bit *= 2) {
        auto& at = next[std::size_t(axis)];
        into.push_back(at < extents[std::size_t(axis)] ? at * first[std::size_t(axis)] : 0);
        at *= 2;
      }
  };
  add(result.registers, values);
  add(result.lanes, lanes);
  add(result.warps, warps);
  numbers repeated;
  for (std::size_t axis = 0; axis < rank; ++axis) repeated.push_back(std::max(std::int64_t(1), extents[axis] / next[axis]));
  add(result.registers, repeated);
  return result;
}

held_bases linear(triton_call const& call, numbers const& extents) {
  auto const masks = [&](python_literal const* given) {
    numbers result;
    if (!given) return result;
    for (auto const& basis : call.bases(*given, extents.size())) {
      std::int64_t mask = 0, first = 1;
      for (std::size_t axis = 0; axis < extents.size(); first *= extents[axis++]) {
        if (basis[axis] >= extents[axis])
          call.refuse(*given, fmt::format("bases within the tile are expected; its extents are {}", fmt::join(extents, " x ")));
        mask |= basis[axis] * first;
      }
      result.push_back(mask);
    }
    return result;
  };
  auto const* const registers = call.find("reg_bases", "register", 0);
  auto const* const lanes = call.find("lane_bases", "lane", 1);
  if (!registers || !lanes) call.refuse("the bases of register, lane and warp are expected");
  return {masks(registers), masks(lanes), masks(call.find("warp_bases", "warp", 2))};
}

/// The bases in LinearLayout.from_bases([("register", [[0, 1]]), …], […]), as a dict.
python_literal dict_of(triton_call const& call, python_literal const& list) {
  if (list.type == kind::call) return list;
  python_literal result{.type = kind::call, .text = {}, .names = {}, .items = {}, .at = list.at};
  for (auto const& each : list.items) {
    if (each.items.size() != 2 || each.items[0].type != kind::word) call.refuse(each, "a pair of name and bases is expected");
    result.names.push_back(each.items[0].text);
    result.items.push_back(each.items[1]);
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
    (each.type == kind::call ? layout : each.type == kind::list ? shape : type) = &each;
  triton_call const call(argument, text, layout ? *layout : all);
  if (!layout) call.refuse("SwizzledSharedLayout, PaddedSharedLayout or SharedLinearLayout is expected");
  call.expect_one_block();
  if (type) {
    int const bytes = bytes_of(call, *type);
    if (element_size && element_size != bytes)
      refuse("element", element_size, fmt::format("{}, the bytes of {}", bytes, type->text));
    element_size = bytes;
  }
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
    if (!shape && !call.find("shape", 3) && !call.is({"with_identity_for"}))
      call.refuse("the shape is expected, [64, 64], say, before it");
    return with(padded(call, given));
  }
  if (!call.is({"SwizzledSharedLayout", "swizzled_shared"}))
    call.refuse("SwizzledSharedLayout, PaddedSharedLayout or SharedLinearLayout is expected");
  if (!shape) call.refuse("the shape is expected, [64, 64], say, before it");
  return with(swizzled(call, given));
}

held_elements parse_triton_threads(std::string_view argument, std::string_view text, std::vector<std::int64_t> const& extents) {
  auto const all = parse_python(argument, text);
  auto const* given = all.items.empty() ? &all : &all.items.front();
  triton_call const outer(argument, text, *given);
  if (std::ranges::any_of(extents, [](auto extent) { return !is_power(extent); }))
    refuse({"layout", "the {}'s shape"}, fmt::format("{}", fmt::join(extents, " x ")), "powers of two for a layout of Triton");
  bool const is_list = outer.is({"from_bases", "LinearLayout"}) && !given->items.empty() && given->names.front().empty();
  auto const bases = is_list ? dict_of(outer, given->items.front()) : *given;
  triton_call const call(argument, text, bases);
  call.expect_one_block();
  bool const is_linear = is_list || call.is({"DistributedLinearLayout", "LinearLayout", "linear", ""});
  if (!is_linear && !call.is({"BlockedLayout", "blocked"}))
    call.refuse("BlockedLayout, DistributedLinearLayout or LinearLayout is expected");
  auto found = is_linear ? linear(call, extents) : blocked(call, extents);
  std::erase(found.registers, 0);  // copies of an element in a thread are accessed once
  if (std::int64_t(1) << found.lanes.size() != kWarp) call.refuse(fmt::format("{} lanes of a warp are expected", kWarp));
  held_elements result{.threads = kWarp, .values = 1, .elements = {}};
  for (auto const& bits : {std::pair(&result.threads, found.warps.size()), std::pair(&result.values, found.registers.size())})
    *bits.first <<= std::min(bits.second, std::size_t(32));
  if (result.threads > kMostThreads) call.refuse(fmt::format("at most {} threads are expected", kMostThreads));
  if (result.values > kMostHeld / result.threads) call.refuse(fmt::format("at most {} elements are expected", kMostHeld));
  auto threads = found.lanes;
  threads.insert(threads.end(), found.warps.begin(), found.warps.end());
  auto const at = [](numbers const& changes, std::int64_t index) {
    std::int64_t sum = 0;
    for (std::size_t bit = 0; bit < changes.size(); ++bit)
      if (index >> bit & 1) sum ^= changes[bit];
    return sum;
  };
  for (std::int64_t thread = 0; thread < result.threads; ++thread)
    for (std::int64_t value = 0; value < result.values; ++value)
      result.elements.push_back(at(threads, thread) ^ at(found.registers, value));
  return result;
}

}  // namespace cornerturn
