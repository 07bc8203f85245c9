#include "explain/suggest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <tuple>

#include "base/refuse.hpp"
#include "block/sizes.hpp"
#include "cornerturn/text.hpp"
#include "cornerturn/tile.cuh"
#include "explain/requests.hpp"
#include "layout/notation.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kMostPadding = 8;  // elements or vectors
constexpr auto kNoLimit = std::numeric_limits<std::int64_t>::max();

int log2_ceil(std::int64_t x) { return int(std::bit_width(std::uint64_t(x - 1))); }

void collect_strides(int_tuple const& shape, int_tuple const& stride, std::set<std::int64_t>& into) {
  for (std::size_t i = 0; i < shape.items.size(); ++i) collect_strides(shape.items[i], stride.items[i], into);
  if (!shape.is_list() && shape.integer.value > 1 && stride.integer.value > 1) into.insert(stride.integer.value);
}

int_tuple widened(int_tuple stride, std::int64_t wide, std::int64_t pad) {
  for (auto& item : stride.items) item = widened(item, wide, pad);
  auto& value = stride.integer.value;
  if (!stride.is_list() && value >= wide) value += pad * (value / wide);
  return stride;
}

using element_offsets = std::vector<std::int64_t>;

/// A layout to try, with the offsets of all elements.
struct trial_layout {
  std::vector<layout_stage> stages;
  element_offsets table;

  std::int64_t elements() const { return std::ranges::max(table) + 1; }
  std::tuple<std::size_t, int, bool> simplicity() const {
    if (stages.size() == 1) return {};
    auto const& swizzle = std::get<swizzle_stage>(stages.front()).swizzle;
    return {stages.size(), swizzle.bits, swizzle.shift < 0};
  }
};

element_offsets table_of(strided_layout const& layout) {
  element_offsets result;
  for (std::int64_t i = 0; i < layout.size(); ++i) result.push_back(layout(i));
  return result;
}

std::size_t distinct(element_offsets table) {
  std::ranges::sort(table);
  return std::size_t(std::ranges::unique(table).begin() - table.begin());
}

/// The swizzle of `bits` bits of TMA and wgmma, which XORs the bits from 16 bytes on with the bits from 128 bytes on.
swizzle_bits tma_swizzle(int bits, int element_size) { return {bits, log2_ceil(kUnitBytes / element_size), 3}; }

/// The swizzles that change offsets of `bits` bits and keep vectors contiguous.
std::vector<swizzle_bits> fitting_swizzles(int bits, int vector, int element_size, swizzles tried) {
  std::vector<swizzle_bits> result;
  auto const base = log2_ceil(vector);
  if (tried == swizzles::none) return result;
  if (tried == swizzles::tma) {
    for (int b = 1; b <= 3; ++b) result.push_back(tma_swizzle(b, element_size));
    std::erase_if(result, [&](auto const& each) { return each.bits + each.base + each.shift > bits; });
    return result;
  }
  for (int b = 1; b <= 5; ++b)
    for (int m = base; m + 2 * b <= bits; ++m)
      for (int s = b; m + b + s <= bits; ++s)
        for (int const shift : {s, -s}) result.push_back({b, m, shift});
  return result;
}

strided_layout const& without_swizzle(layout_expression const& given) {
  for (std::size_t i = 0; i + 1 < given.stages().size(); ++i)
    if (!std::holds_alternative<swizzle_stage>(given.stages()[i]))
      refuse("layout", fmt::format("'{}'", to_string(given)), "a single layout, swizzled or not, for a suggestion");
  if (given.offsets().low < 0)
    refuse("layout", fmt::format("'{}'", to_string(given)), "one without negative offsets for a suggestion");
  return given.domain();
}

std::string type_of(int_tuple const& tuple, std::string_view list) {
  constexpr std::int64_t kNamed[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 32, 64, 128, 256, 512, 1024};
  if (!tuple.is_list()) {
    auto const value = tuple.integer.value;
    return std::ranges::find(kNamed, value) != std::end(kNamed) ? fmt::format("_{}", value) : fmt::format("Int<{}>", value);
  }
  std::vector<std::string> items;
  for (auto const& item : tuple.items) items.push_back(type_of(item, list));
  return fmt::format("{}<{}>", list, fmt::join(items, ", "));
}

/// The requests of an access pattern with the identity as the layout. A table maps them to the offsets of other layouts.
struct pattern_requests {
  pattern const& given;
  std::vector<request> requests;

  explicit pattern_requests(pattern const& each)
      : given(each), requests(requests_of(record_vectors(each, std::identity(), memory_space::shared))) {}

  bool possible(element_offsets const& table) const {
    return cornerturn::possible(given, [&](std::int64_t element) { return table[std::size_t(element)]; });
  }

  /// The sum of count(request) over the requests in a layout; it stops beyond `most`.
  std::int64_t sum(int (*count)(request const&), element_offsets const& table, std::int64_t most) const {
    std::int64_t total = 0;
    for (auto each : requests) {
      if (total > most) break;
      for (auto& lane : each.lanes) lane.address = table[lane.address / given.element_size] * given.element_size;
      total += count(each);
    }
    return total;
  }
};

/// A request's accesses as `tile::warp_access`; nothing if some lanes are inactive, or if the addresses of its lanes are no XORs
/// of those of lanes 1, 2, 4, 8 and 16, or are equal.
std::optional<tile::warp_access> xor_access(request const& each, element_offsets const& table, int element_size) {
  auto const address = [&](std::size_t lane) {
    return table[each.lanes[lane].address / std::uint64_t(element_size)] * element_size;
  };
  if (each.lanes.size() != kWarp || each.active() != kWarp) return {};
  tile::warp_access result{{}, each.bytes()};
  std::set<std::int64_t> different;
  for (std::size_t lane = 0; lane < kWarp; ++lane) {
    auto const from_first = address(lane) ^ address(0);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      if (lane == std::size_t(1) << i) result.address[i] = int(from_first);
      if (lane >> i & 1) sum ^= result.address[i];
    }
    if (sum != from_first || !different.insert(sum).second) return {};
  }
  return result;
}

/// The swizzle that the search of the header for kernels finds; nothing if a request's addresses are no XORs, or if the layout
/// has gaps, which a swizzle may move to its end, or if cp.async stores past the L1 cache, whose cost is no bank conflict.
std::optional<swizzle_bits> searched_swizzle(std::vector<pattern_requests> const& all, element_offsets const& table, int bits,
                                             int vector) {
  if (distinct(table) != std::size_t(1) << bits) return {};
  int const element_size = all.front().given.element_size, element_bits = log2_ceil(element_size);
  std::map<std::array<int, 6>, tile::warp_access> accesses;
  for (auto const& one : all)
    for (auto const& each : one.requests) {
      auto const access = each.copies_past_l1() ? std::nullopt : xor_access(each, table, element_size);
      if (!access) return {};
      auto const& [a, b, c, d, e] = access->address;
      auto const [known, is_new] = accesses.try_emplace({a, b, c, d, e, access->bytes}, *access);
      known->second.requests += !is_new;
    }
  std::vector<tile::warp_access> distinct_accesses;
  for (auto const& each : accesses) distinct_accesses.push_back(each.second);
  auto const found = tile::found_swizzle::search(distinct_accesses, vector * element_size, bits + element_bits).swizzle;
  return swizzle_bits{found.bits, found.base - element_bits, found.shift};
}

/// Calls try_it(layout) for the plain layout, for the swizzle that a search finds or else every one that fits its offsets, and,
/// if any are tried, for padded layouts.
template <class Try>
void for_candidates(strided_layout const& plain, int vector, std::vector<pattern_requests> const& all, swizzles tried,
                    Try const& try_it) {
  auto const table = table_of(plain);
  try_it(trial_layout{{plain}, table});

  int const bits = log2_ceil(std::ranges::max(table) + 1), element_size = all.front().given.element_size;
  auto const found = tried == swizzles::any ? searched_swizzle(all, table, bits, vector) : std::nullopt;
  for (auto const& swizzle : found ? std::vector{*found} : fitting_swizzles(bits, vector, element_size, tried)) {
    if (swizzle.bits == 0) continue;  // the search has found none
    auto swizzled = table;
    for (auto& offset : swizzled) offset = swizzle(offset);
    try_it(trial_layout{{swizzle_stage{swizzle}, plain}, std::move(swizzled)});
  }
  if (tried == swizzles::tma) return;

  auto const elements = distinct(table);
  for (auto const wide : wide_strides(plain)) {
    auto const to_whole = (vector - wide % vector) % vector;  // keeps vectors aligned
    std::set<std::int64_t> pads;
    for (std::int64_t count = 0; count <= kMostPadding; ++count) pads.insert({count, to_whole + count * vector});
    for (auto const pad : pads) {
      auto const layout = padded(plain, wide, pad);
      trial_layout each{{layout}, table_of(layout)};
      if (distinct(each.table) == elements) try_it(each);  // elements do not overlap
    }
  }
}

/// The elements of the longest vector of the patterns.
int longest_vector(std::vector<pattern> const& patterns) {
  return std::ranges::max_element(patterns, {}, &pattern::vector)->vector;
}

}  // namespace

strided_layout padded(strided_layout const& layout, std::int64_t wide, std::int64_t pad) {
  return {layout.shape, widened(layout.stride, wide, pad)};
}

std::set<std::int64_t> wide_strides(strided_layout const& layout) {
  std::set<std::int64_t> result;
  collect_strides(layout.shape, layout.stride, result);
  return result;
}

std::optional<suggested> find_suggestion(layout_expression const& given, std::vector<pattern> const& patterns, swizzles tried) {
  auto const& plain = without_swizzle(given);
  int const element_size = patterns.front().element_size;
  auto const most = kBlockBytes / element_size;  // elements
  if (auto const bytes = (plain.offsets().high + 1) * element_size; bytes > kBlockBytes)
    refuse({"layout", "the {}'s size in bytes"}, bytes,
           fmt::format("at most {} for a suggestion, a block's shared memory of 227 KiB", kBlockBytes));
  std::vector<pattern_requests> const all(patterns.begin(), patterns.end());

  std::optional<trial_layout> best;
  auto fewest = kNoLimit;
  auto const key = [](std::int64_t wavefronts, trial_layout const& of) {
    return std::tuple(wavefronts, of.elements(), of.simplicity());
  };
  std::int64_t ideal = 0;
  for (auto const& one : all) ideal += one.sum(ideal_wavefronts, table_of(plain), kNoLimit);
  for_candidates(plain, longest_vector(patterns), all, tried, [&](trial_layout const& each) {
    if (each.elements() > most || (best && key(ideal, each) >= key(fewest, *best))) return;
    if (!std::ranges::all_of(all, [&](auto const& one) { return one.possible(each.table); })) return;
    std::int64_t total = 0;
    for (auto const& one : all) total += one.sum(wavefronts, each.table, fewest - total);
    if (best && key(total, each) >= key(fewest, *best)) return;
    best = each;
    fewest = total;
  });
  if (!best) return {};
  return suggested{layout_expression(best->stages), fewest};
}

suggested suggest(layout_expression const& given, std::vector<pattern> const& patterns, swizzles tried) {
  if (auto const best = find_suggestion(given, patterns, tried)) return *best;
  refuse("layout", fmt::format("'{}'", to_string(given)),
         fmt::format("one where the {} of a vector are contiguous, if need be after padding or a swizzle, for a suggestion",
                     count_text(longest_vector(patterns) * patterns.front().element_size, "byte")));
}

std::optional<suggested> suggest_padding(layout_expression const& given, std::vector<pattern> const& patterns) {
  auto const best = find_suggestion(given, patterns, swizzles::none);
  return best && best->layout.domain() != given.domain() ? best : std::nullopt;
}

int tma_mode_of(layout_expression const& layout, int element_size) {
  if (layout.stages().size() != 2) return 0;
  auto const* const stage = std::get_if<swizzle_stage>(&layout.stages().front());
  if (!stage || stage->offset.value != 0) return 0;
  int const bits = stage->swizzle.bits;
  return bits >= 1 && bits <= 3 && stage->swizzle == tma_swizzle(bits, element_size) ? kUnitBytes << bits : 0;
}

int tma_swizzle_of(layout_expression const& layout, int element_size) {
  int const mode = tma_mode_of(layout, element_size);
  if (mode == 0) return 0;
  auto const& plain = layout.domain();
  if (!plain.shape.is_list()) return plain.size() * element_size > mode ? 0 : mode;
  for (std::size_t i = 0; i < plain.shape.items.size(); ++i) {
    strided_layout const of{plain.shape.items[i], plain.stride.items[i]};
    bool const is_row = of.size() > 1 && of(1) == 1;  // the mode along which elements are contiguous
    if (is_row && of.size() * element_size > mode) return 0;
  }
  return mode;
}

std::string tma_comment(int swizzle_bytes) {
  if (swizzle_bytes == 0) return "";
  constexpr int kRows = 8;  // of the swizzle's pattern
  return fmt::format("\n// TMA: CU_TENSOR_MAP_SWIZZLE_{0}B, rows of at most {0} bytes, alignas({1})", swizzle_bytes,
                     kRows * swizzle_bytes);
}

std::string rearrange_code_of(layout_expression const& layout, int element_size) {
  auto const& plain = layout.domain();
  auto const* const stage = std::get_if<swizzle_stage>(&layout.stages().front());
  if (layout.stages().size() != 2 || !stage || stage->offset.value != 0) return "";
  auto const base = stage->swizzle.base + log2_ceil(element_size);
  constexpr std::string_view kOuter = "mkijln", kInner = "abcdef";
  auto const& extents = plain.shape.items;
  if ((1 << base) < kUnitBytes || extents.empty() || extents.size() > kInner.size()) return "";
  std::string left, outer, lengths;
  std::map<std::int64_t, std::size_t> by_stride;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    auto const extent = extents[i].integer.value;
    if (extents[i].is_list() || !std::has_single_bit(std::uint64_t(extent))) return "";
    left += fmt::format("({} {}) ", kOuter[i], kInner[i]);
    outer += fmt::format("{} ", kOuter[i]);
    lengths += fmt::format(", {}={}", kInner[i], extent);
    by_stride.emplace(plain.stride.items[i].integer.value, i);
  }
  std::string inner;
  std::int64_t next = 1;  // the stride of a dense tile
  for (auto const& [stride, i] : by_stride) {
    if (stride != next) return "";
    next *= extents[i].integer.value;
    inner = fmt::format(" {}", kInner[i]) + inner;
  }
  if (by_stride.size() != extents.size()) return "";
  return fmt::format("cornerturn.rearrange(x, \"{}-> {}|{}\"{}, swizzle=\"Sw<{},{},{}>\")", left, outer, inner, lengths,
                     stage->swizzle.bits, base, stage->swizzle.shift);
}

std::string code_of(layout_expression const& layout) {
  auto const& plain = layout.domain();
  auto const base = fmt::format("Layout<{}, {}>{{}}", type_of(plain.shape, "Shape"), type_of(plain.stride, "Stride"));
  if (layout.stages().size() == 1) return fmt::format("auto const layout = {};", base);
  auto const& swizzle = std::get<swizzle_stage>(layout.stages().front()).swizzle;
  return fmt::format("auto const layout = composition(Swizzle<{}, {}, {}>{{}}, {});", swizzle.bits, swizzle.base, swizzle.shift,
                     base);
}

}  // namespace cornerturn
