#include "plan/cpu_shuffle.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "plan/cpu_plan.hpp"

namespace cornerturn {
namespace {

constexpr auto kBytes = cpu_shuffle::kBytes;
constexpr std::int64_t kLine = 64;
/// More bytes of a group are not worth their tables.
constexpr std::int64_t kMostBytes = 2048;
/// In tiles of a batch that have no more bytes, vectors have no room to turn.
constexpr std::int64_t kSmall = 128;

/// Whether others turn such tiles better: as lanes of vectors, or unit by unit.
bool suits_others(cpu_plan const& plan) {
  auto const row = plan.columns * plan.unit, column = plan.rows * plan.unit;
  if (plan.row_step != plan.unit || plan.batch * plan.rows * row < kLine || plan.unit % kBytes == 0 || plan.unit > kLine)
    return true;
  if (plan.shares) return false;
  if (plan.columns == 1 || !std::has_single_bit(std::uint64_t(plan.unit))) return false;
  if (plan.batch > 1 && plan.rows * row <= kSmall) return false;
  auto const few = [](std::int64_t count) { return count > 1 && count <= 4; };
  return (row >= kBytes && column >= kBytes) || (plan.dense_image && few(plan.rows) && row >= kLine) ||
         (plan.dense_source && few(plan.columns) && column >= kLine);
}

/// Whether the offsets after every `period` of them go on as they began.
bool repeats(std::vector<std::int64_t> const& offsets, std::int64_t period) {
  for (auto i = std::size_t(period); i < offsets.size(); ++i)
    if (auto const k = i % std::size_t(period); offsets[i] != offsets[i - k] + offsets[k]) return false;
  return true;
}

/// Whether from each offset to the next it is as far.
bool are_even(std::vector<std::int64_t> const& offsets) {
  for (std::size_t i = 2; i < offsets.size(); ++i)
    if (offsets[i] - offsets[i - 1] != offsets[1]) return false;
  return true;
}

/// The fewest units that fill whole runs of so many bytes and are followed by others that lie alike; 0 if there are too many.
std::int64_t group_of(cpu_plan const& plan, std::int64_t run) {
  auto const step = run / std::gcd(run, plan.unit), tile = plan.rows * plan.columns;
  bool const is_one_row = !plan.dense_image || plan.columns * plan.batch == 1;
  for (auto units = step; units * plan.unit <= kMostBytes; units += step) {
    bool const alike = is_one_row || plan.rows % units == 0 ? repeats(plan.row_source, units)
                       : units % tile == 0                  ? repeats(plan.batch_source, units / tile)
                                                            : units % plan.rows == 0 && (tile % units == 0 || plan.batch == 1);
    if (alike) return units;
  }
  return 0;
}

/// From the sources of a block's bytes, and which of its bytes that are. It reaches behind the last one only if it must.
cpu_shuffle::block block_of(std::vector<std::pair<std::int64_t, std::size_t>>& bytes) {
  std::ranges::sort(bytes);
  auto const last = std::max(bytes.front().first, bytes.back().first + 1 - kBytes);
  cpu_shuffle::block block{.low = bytes.front().first, .high = last + kBytes};
  for (auto const& [source, at] : bytes) {
    if (block.pieces.empty() || source >= block.pieces.back().source + kBytes) {
      auto& piece = block.pieces.emplace_back();
      piece.source = std::min(source, last);
      piece.low = source;
      piece.from.fill(cpu_shuffle::kNone);
    }
    auto& piece = block.pieces.back();
    piece.from[at] = std::uint8_t(source - piece.source);
    piece.high = source + 1;
  }
  return block;
}

/// `sources` are those of a group's first bytes, as many as are looked up.
std::vector<cpu_shuffle::block> blocks_of(cpu_plan const& plan, cpu_shuffle const& shuffle,
                                          std::vector<std::int64_t> const& sources) {
  std::vector<cpu_shuffle::block> blocks;
  auto const bytes = std::int64_t(sources.size());
  std::vector<std::pair<std::int64_t, std::size_t>> from;
  for (std::int64_t begin = 0; begin < bytes; begin += shuffle.step()) {
    from.clear();
    for (std::int64_t line = 0; line < (shuffle.across ? shuffle.lanes : 1); ++line)
      for (auto k = begin; k < std::min(begin + shuffle.step(), bytes); ++k)
        from.emplace_back(sources[std::size_t(k)] + plan.column_source[std::size_t(line)],
                          std::size_t(k - begin + line * kBytes));
    blocks.push_back(block_of(from));
  }
  return blocks;
}

/// The mean number of pieces of its blocks; more than all where one has more than can be looked up.
double cost(std::vector<cpu_shuffle::block> const& blocks) {
  double sum = 0;
  for (auto const& each : blocks) sum += each.pieces.size() > cpu_shuffle::kMostPieces ? 1e9 : double(each.pieces.size());
  return sum / double(blocks.size());
}

/// Says what is needed of a group.
void add_need(cpu_shuffle& shuffle, cpu_plan const& plan, std::int64_t units) {
  std::vector<std::int64_t> sources;
  for (std::int64_t k = 0; k < units; ++k) sources.push_back(plan.source_of(k));
  std::ranges::sort(sources);
  shuffle.group_end = sources.back() + plan.unit;
  shuffle.is_joined = std::ranges::adjacent_find(sources, [&](std::int64_t before, std::int64_t after) {
                        return after - before >= plan.unit + cpu_plan::kPage;
                      }) == sources.end();
}

}  // namespace

cpu_shuffle shuffle_of(cpu_plan const& plan) {
  if (suits_others(plan)) return {};
  // from memory, which is read once, what lies evenly with gaps is copied more quickly
  if (plan.streams && plan.columns == 1 && std::abs(plan.row_gap) > plan.unit) return {};
  auto const lines = plan.dense_image ? 1 : plan.columns, line = plan.rows * plan.columns * plan.batch / lines;
  // of many lines few rows at once, each far along, are read the quickest
  auto run = lines > 1 ? kBytes : kLine;
  while (run >= kBytes && group_of(plan, run) == 0) run /= 2;
  if (run < kBytes) return {};
  auto const units = group_of(plan, run);
  std::vector<std::int64_t> sources;
  for (std::int64_t k = 0; k < std::min(units, line); ++k)
    for (std::int64_t source = plan.source_of(k), end = source + plan.unit; source < end; ++source) sources.push_back(source);
  auto const shuffled = [&](std::int64_t lanes, bool across) {
    cpu_shuffle result{.units = units, .lanes = lanes, .across = across};
    result.blocks = blocks_of(plan, result, sources);
    return result;
  };
  // wide vectors pay where their lanes take what they have from the same pieces; narrow ones have the more to do
  auto result = shuffled(1, false);
  auto const most = 1.5 * cost(result.blocks);
  if (most > 1e6) return {};
  // where each unit is a piece of its own, and nothing is beside it that would be read along, it is copied more quickly
  if (plan.columns == 1 && cost(result.blocks) * double(plan.unit) >= kBytes) return {};
  for (std::int64_t lanes = 2; lanes <= cpu_shuffle::kMostLanes; lanes *= 2)
    for (bool const across : {false, true}) {
      if (across ? lines < lanes || !are_even(plan.column_source) : run < lanes * kBytes) continue;
      if (auto const other = shuffled(lanes, across); cost(other.blocks) <= most) result = other;
    }
  for (std::int64_t k = 0; k < line; k += units) result.groups.push_back(plan.source_of(k));
  auto const [first, last] = std::ranges::minmax(result.groups);
  result.group_low = std::ranges::min(result.blocks, {}, &cpu_shuffle::block::low).low;
  result.group_high = std::ranges::max(result.blocks, {}, &cpu_shuffle::block::high).high;
  add_need(result, plan, std::min(units, line));
  result.low = first + result.group_low, result.high = last + result.group_high;
  return result;
}

}  // namespace cornerturn
