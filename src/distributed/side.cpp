#include "distributed/side.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "base/refuse.hpp"
#include "cornerturn/text.hpp"
#include "problem/extents.hpp"

namespace cornerturn::distributed {
namespace {

using list = std::vector<std::int64_t>;

/// Long lists are shortened, so that the limit behind them stays within what ranks tell one another about an error.
std::string text_of(list const& numbers) {
  constexpr std::size_t kMost = 16, kShown = 6;
  if (numbers.size() <= kMost) return fmt::format("({})", fmt::join(numbers, ", "));
  std::span const all(numbers);
  return fmt::format("({}, ..., {}), of {} numbers", fmt::join(all.first(kShown), ", "), fmt::join(all.last(2), ", "),
                     numbers.size());
}

/// The first index of each block, and the extent: each part divides the blocks of the parts before it.
list even_begins(std::int64_t extent, list const& parts) {
  list begins{0, extent};
  for (auto const count : parts) {
    list finer;
    for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
      auto const length = begins[i + 1] - begins[i], each = length / count + (length % count != 0);
      for (std::int64_t k = 0; k < count; ++k)
        finer.push_back(begins[i] + (each == 0 || k > length / each ? length : std::min(k * each, length)));
    }
    finer.push_back(extent);
    begins = finer;
  }
  return begins;
}

/// The first index of each block, and the extent.
list given_begins(std::string const& name, std::int64_t extent, list const& blocks, list const& parts) {
  auto const count = product(parts);
  auto const refuse_blocks = [&](std::string const& allowed) { refuse(name, text_of(blocks), allowed); };
  if (std::int64_t(blocks.size()) != count) refuse_blocks(count_text(count, "extent") + ", one for each block along the mode");
  list begins{0};
  for (auto const each : blocks) {
    if (each < 0 || each > extent - begins.back()) refuse_blocks(fmt::format("extents of 0 or more whose sum is {}", extent));
    begins.push_back(begins.back() + each);
  }
  if (begins.back() != extent) refuse_blocks(fmt::format("extents of 0 or more whose sum is {}", extent));
  return begins;
}

}  // namespace

side::side(std::string_view name, list const& shape, sharding const& given) : grid_(given.grid), modes_(given.modes) {
  for (auto const extent : grid_) {
    if (extent < 1) refuse(fmt::format("{}.grid", name), text_of(grid_), "extents of 1 or more");
    if (ranks_ > kMostRanks / extent) refuse(fmt::format("{}.grid", name), text_of(grid_), "a grid of at most 2^20 ranks");
    ranks_ *= extent;
  }
  auto const rank = std::int64_t(shape.size());
  if (modes_.size() != grid_.size())
    refuse(fmt::format("{}.modes", name), text_of(modes_),
           count_text(std::int64_t(grid_.size()), "number") + ", one for each mode of the grid");
  for (auto const mode : modes_)
    if (mode != kReplicated && (mode < 0 || mode >= rank))
      refuse(fmt::format("{}.modes", name), text_of(modes_),
             rank == 0 ? std::string("-1 (replicated) for an array of rank 0")
                       : fmt::format("modes of the array, 0 to {}, or -1 (replicated)", rank - 1));
  if (!given.blocks.empty() && given.blocks.size() != shape.size())
    refuse({fmt::format("{}.blocks", name), "the size of {}"}, given.blocks.size(),
           fmt::format("0 or {}, one list for each mode of the array", rank));

  for (std::size_t mode = 0; mode < shape.size(); ++mode) {
    list parts;
    for (std::size_t i = 0; i < grid_.size(); ++i)
      if (modes_[i] == std::int64_t(mode)) parts.push_back(grid_[i]);
    begins_.push_back(given.blocks.empty() || given.blocks[mode].empty()
                          ? even_begins(shape[mode], parts)
                          : given_begins(fmt::format("{}.blocks[{}]", name, mode), shape[mode], given.blocks[mode], parts));
  }
}

list side::coordinates_of(std::int64_t rank) const {
  list result(grid_.size());
  for (std::size_t i = grid_.size(); i-- > 0; rank /= grid_[i]) result[i] = rank % grid_[i];
  return result;
}

std::vector<range> side::block_of(std::int64_t rank) const {
  auto const coordinates = coordinates_of(rank);
  list blocks(begins_.size(), 0);
  for (std::size_t i = 0; i < grid_.size(); ++i)
    if (modes_[i] != kReplicated) blocks[modes_[i]] = blocks[modes_[i]] * grid_[i] + coordinates[i];
  std::vector<range> result;
  for (std::size_t mode = 0; mode < begins_.size(); ++mode)
    result.push_back({begins_[mode][blocks[mode]], begins_[mode][blocks[mode] + 1]});
  return result;
}

range side::blocks_with(std::size_t mode, range const& indices) const {
  auto const& begins = begins_[mode];
  if (indices.begin >= indices.end) return {};
  auto const first = std::upper_bound(begins.begin(), begins.end(), indices.begin) - begins.begin() - 1;
  auto const end = std::lower_bound(begins.begin(), begins.end(), indices.end) - begins.begin();
  return {first, end};
}

}  // namespace cornerturn::distributed
