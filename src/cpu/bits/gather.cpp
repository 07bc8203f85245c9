#include "cpu/bits/gather.hpp"

#include <span>
#include <vector>

#include "cpu/bits/parts.hpp"

namespace cornerturn::cpu {
namespace {

/// What each index of an axis of the destination adds to sums over all axes: to the offset in the source in elements, and for
/// each limit of the source to the index in the limited axis. Entry [k][index] is for sum k.
using axis_table = std::vector<std::vector<std::int64_t>>;

axis_table index_table_of(std::span<std::size_t const> modes, std::int64_t extent, pattern_move const& move,
                          std::vector<std::vector<std::int64_t>> const& weights) {
  axis_table table(weights.size(), std::vector<std::int64_t>(std::size_t(extent), 0));
  for (std::size_t k = 0; k < weights.size(); ++k)
    for (std::int64_t index = 0; index < extent; ++index) {
      auto rest = index;
      for (auto m = modes.rbegin(); m != modes.rend(); ++m) {
        table[k][std::size_t(index)] += rest % move.extents[*m] * weights[k][*m];
        rest /= move.extents[*m];
      }
    }
  return table;
}

/// For each sum, what an index of each mode adds to it.
std::vector<std::vector<std::int64_t>> weights_of(pattern_move const& move) {
  std::vector<std::vector<std::int64_t>> weights{move.source.mode_strides};
  for (auto const& limit : move.source.limits) {
    auto& of_limit = weights.emplace_back(move.extents.size(), 0);
    std::int64_t weight = 1;
    for (auto m = limit.modes.rbegin(); m != limit.modes.rend(); ++m) {
      of_limit[*m] = weight;
      weight *= move.extents[*m];
    }
  }
  return weights;
}

}  // namespace

void gather_elements(std::byte const* source, std::byte* destination, pattern_move const& move, bit_packing const& packed,
                     std::byte const* pad, int threads) {
  auto const& to = move.destination;
  auto const weights = weights_of(move);
  std::vector<axis_table> tables;
  std::int64_t rows = 1;
  std::size_t next = 0;
  for (std::size_t axis = 0; axis < to.shape.size(); ++axis) {
    auto const modes = std::span(to.modes).subspan(next, std::size_t(to.counts[axis]));
    next += modes.size();
    tables.push_back(index_table_of(modes, to.shape[axis], move, weights));
    if (axis + 1 < to.shape.size()) rows *= to.shape[axis];
  }
  auto const per_byte = packed.per_byte();
  auto const bytes = to.shape.back() / per_byte;
  auto const& last = tables.back();
  in_parts(rows, to.shape.back(), threads, [&](std::int64_t from, std::int64_t end) {
    std::vector<std::int64_t> sums(weights.size());
    for (auto row = from; row < end; ++row) {
      std::ranges::fill(sums, 0);
      auto* written = destination;
      auto rest = row;
      for (auto axis = to.shape.size() - 1; axis-- > 0;) {
        auto const index = rest % to.shape[axis];
        rest /= to.shape[axis];
        written += index * (to.strides[axis] / per_byte);
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += tables[axis][k][std::size_t(index)];
      }
      auto const element_at = [&](std::size_t column) {
        for (std::size_t k = 1; k < sums.size(); ++k)
          if (sums[k] + last[k][column] >= move.source.limits[k - 1].extent) return int(*pad) & packed.mask();
        auto const offset = sums[0] + last[0][column];
        auto const within = offset & (per_byte - 1);
        return int(source[(offset - within) / per_byte]) >> packed.shift(within) & packed.mask();
      };
      for (std::int64_t at = 0; at < bytes; ++at) {
        int byte = 0;
        for (std::int64_t i = 0; i < per_byte; ++i) byte |= element_at(std::size_t(at * per_byte + i)) << packed.shift(i);
        written[at] = std::byte(byte);
      }
    }
  });
}

}  // namespace cornerturn::cpu
