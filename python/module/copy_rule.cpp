#include "copy_rule.hpp"

#include <algorithm>

namespace cornerturn::python {
namespace {

/// From this many bytes on, the library's CPU engine writes past the caches.
constexpr std::int64_t kStreamedBytes = 8 << 20;

/// A transpose whose contiguous modes have fewer elements is an interleave, in which the library is slower with conversions and
/// with 16-byte elements.
constexpr std::int64_t kLeastTile = 16;

/// Transposes of 16-byte elements are faster in the library from this many bytes on.
constexpr std::int64_t kWideBytes = 1 << 18;

/// Conversions of fewer elements are slower in the library. The limit for a GPU was tried once.
constexpr std::int64_t kConvertedElements = 1 << 16, kConvertedOnGpu = 1 << 18;

/// The conversions that the library does faster, with the bits of every version of PyTorch: their results are exact. Others
/// round, and PyTorch's versions and instruction sets differ in what they make of NaN and of numbers beyond the range.
bool is_taken_conversion(element_type from, element_type to) {
  return from == element_type::u8 && (to == element_type::f16 || to == element_type::bf16 || to == element_type::f32);
}

bool has_stride_one(std::array<std::int64_t, kMaxRank> const& strides, std::size_t rank) {
  return std::find(strides.begin(), strides.begin() + rank, 1) != strides.begin() + rank;
}

/// The shape of a copy as far as the rule depends on it.
struct copy_shape {
  std::int64_t elements = 1;
  bool has_rows;           ///< one mode is contiguous on both sides
  bool has_gaps;           ///< no mode is contiguous on one of the sides
  bool is_pitched;         ///< the modes have one order on both sides
  std::int64_t row;        ///< elements per row if has_rows
  std::int64_t narrowest;  ///< elements of the shorter contiguous mode; 0 if there are rows or gaps
};

copy_shape shape_of(copied_modes const& modes) {
  copy_shape result{};
  result.elements = 1;
  for (std::size_t i = 0; i < modes.rank; ++i) result.elements *= modes.extents[i];
  result.has_gaps = modes.destination[0] != 1 || !has_stride_one(modes.source, modes.rank);
  result.has_rows = !result.has_gaps && modes.source[0] == 1;
  result.is_pitched = std::is_sorted(modes.source.begin(), modes.source.begin() + modes.rank);
  result.row = modes.extents[0];
  if (!result.has_gaps && !result.has_rows) {
    auto const column = std::find(modes.source.begin(), modes.source.begin() + modes.rank, 1) - modes.source.begin();
    result.narrowest = std::min(modes.extents[0], modes.extents[std::size_t(column)]);
  }
  return result;
}

/// Only transposes of tiles are converted faster.
copy_verdict judge_conversion(copy_place place, copy_shape const& shape, element_type from, element_type to) {
  if (!is_taken_conversion(from, to) || shape.narrowest < kLeastTile) return copy_verdict::types;
  auto const least = place == copy_place::cpu ? kConvertedElements : kConvertedOnGpu;
  return shape.elements < least ? copy_verdict::small : copy_verdict::taken;
}

/// The limits come from measurements on an H200 (bench/results/h200-arena.json.gz): PyTorch is as fast for 16-byte elements.
copy_verdict judge_cuda(copy_shape const& shape, int element_bytes) {
  if (element_bytes == 16 || (element_bytes == 8 && shape.has_rows)) return copy_verdict::rows;
  return shape.has_gaps ? copy_verdict::gaps : copy_verdict::taken;
}

/// True if the library copies rows faster on the CPU (bench/results/xeon-torch-rule.json.gz): very short ones, short ones in a
/// small copy, and rows of a copy that exceeds the L2 cache if they change their order or are long.
bool is_row_faster(copy_shape const& shape, std::int64_t bytes, std::int64_t row_bytes) {
  constexpr std::int64_t kVeryShort = 16, kShort = 64, kLong = 2048, kSmall = 1 << 18, kLarge = 3 << 20;
  if (row_bytes <= kVeryShort && bytes < kStreamedBytes) return true;
  if (bytes >= kLarge) return !shape.is_pitched || row_bytes >= kLong;
  return row_bytes < kShort && bytes < kSmall;
}

/// True if the library copies elements that are not contiguous on one of the sides faster on the CPU, whatever number of threads
/// it has (bench/results/xeon16-torch-rule.json.gz).
bool is_gap_faster(std::int64_t bytes, int element_bytes) {
  return (element_bytes == 1 && bytes < kStreamedBytes) || (element_bytes == 2 && bytes < 2 << 20) ||
         (element_bytes == 4 && bytes < 1 << 19);
}

/// A small copy of elements of 16 bytes is one of short rows, which PyTorch copies as fast.
copy_verdict judge_cpu(copy_shape const& shape, int element_bytes) {
  auto const bytes = shape.elements * element_bytes;
  if (shape.has_gaps) return is_gap_faster(bytes, element_bytes) ? copy_verdict::taken : copy_verdict::gaps;
  bool const is_wide = element_bytes == 16;
  bool const is_faster = shape.has_rows ? is_row_faster(shape, bytes, shape.row * element_bytes)
                                        : !is_wide || (bytes >= kWideBytes && shape.narrowest >= kLeastTile);
  return is_faster ? copy_verdict::taken : copy_verdict::rows;
}

}  // namespace

std::int64_t least_copied_bytes(copy_place place) { return place == copy_place::cpu ? 1 << 11 : 1 << 16; }

bool fuse_modes(index_list extents, index_list source, index_list destination, copied_modes& into) {
  auto& [rank, sizes, from, to] = into;
  rank = 0;
  if (extents.size() > kMaxRank) return false;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] == 1) continue;
    if (source[i] <= 0 || destination[i] <= 0) return false;
    auto at = rank++;
    for (; at > 0 && to[at - 1] > destination[i]; --at) sizes[at] = sizes[at - 1], from[at] = from[at - 1], to[at] = to[at - 1];
    sizes[at] = extents[i], from[at] = source[i], to[at] = destination[i];
  }
  std::size_t last = 0;
  std::int64_t span = 0;  // elements from the first to the last one of the destination
  for (std::size_t i = 0; i < rank; ++i) {
    if (to[i] <= span) return false;
    span += (sizes[i] - 1) * to[i];
    if (i > 0 && from[i] == from[last] * sizes[last] && to[i] == to[last] * sizes[last])
      sizes[last] *= sizes[i];
    else if (i > 0)
      ++last, sizes[last] = sizes[i], from[last] = from[i], to[last] = to[i];
  }
  rank = rank > 0 ? last + 1 : 0;
  return true;
}

bool keeps_bits(copied_elements from, copied_elements to) {
  return from.type == to.type || (from.bytes == to.bytes && is_integer(from.type) && is_integer(to.type));
}

copy_verdict judge_copy(copy_place place, copied_modes const& modes, copied_elements from, copied_elements to) {
  if (modes.rank == 0) return copy_verdict::small;
  auto const shape = shape_of(modes);
  auto const bytes = shape.elements * std::max(from.bytes, to.bytes);
  if (bytes < least_copied_bytes(place)) return copy_verdict::small;
  bool const is_move = keeps_bits(from, to);
  if (is_move && modes.rank == 1 && shape.has_rows) return copy_verdict::plain;
  if (!is_move) return judge_conversion(place, shape, from.type, to.type);
  return place == copy_place::cuda ? judge_cuda(shape, from.bytes) : judge_cpu(shape, from.bytes);
}

}  // namespace cornerturn::python
