#include "cpu/tiles/shuffle.hpp"

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "base/planning_work.hpp"
#include "base/round.hpp"
#include "cpu/tiles/plan.hpp"
#include "cpu/tiles/side.hpp"
#include "cpu/tiles/strategy.hpp"

namespace cornerturn {
namespace {

constexpr auto kBytes = cpu_shuffle::kBytes;
/// The most bytes of matrices that are too small for transposing by vectors, if tiles have a batch of them.
constexpr std::int64_t kSmallMatrix = 128;

/// If adjacent columns have fewer bytes than this, looking bytes up is faster than transposing the columns or copying their
/// units, provided that columns are in groups or have gaps, or that rows are contiguous.
constexpr std::int64_t kGroupBytes = 8;

/// True if another strategy is faster for the plan's tiles: transposing the lanes of vectors, or copying units.
bool prefers_another_strategy(cpu_plan const& plan, std::int64_t most_fields) {
  auto const row = plan.tile.row_bytes(), column = plan.tile.column_bytes();
  if (plan.store.row_step != plan.tile.unit || plan.tile.batch * plan.tile.rows * row < kCacheLine ||
      plan.tile.unit % kBytes == 0 || plan.tile.unit > kCacheLine)
    return true;
  if (plan.load.has_gaps) return plan.tile.unit >= kGroupBytes;
  if (plan.load.shared_modes) return is_element(plan.tile.unit) && plan.load.adjacent * plan.tile.unit >= kGroupBytes;
  if (!plan.store.streams && plan.tile.unit >= kCacheLine / 2) return true;
  if (plan.tile.columns == 1 || !std::has_single_bit(std::uint64_t(plan.tile.unit))) return false;
  if (plan.load.dense && plan.store.streams && row >= kGroupBytes && column >= kCacheLine) return true;
  if (plan.tile.batch > 1 && plan.tile.rows * row <= kSmallMatrix) return false;
  return (row >= kBytes && column >= kBytes) ||
         (plan.store.dense && are_fields(plan.tile.rows, most_fields) && row >= kCacheLine) ||
         (plan.load.dense && are_fields(plan.tile.columns, most_fields) && column >= kCacheLine);
}

/// A table of offsets and its modes. The index of the table is a mixed-radix number, with one weight per digit.
class unit_offsets {
 public:
  unit_offsets(std::vector<std::int64_t> const& offsets, std::vector<byte_mode> const& modes) : offsets_(offsets) {
    std::int64_t weight = 1, stride = 0;
    for (byte_mode const& m : modes) {
      // a mode that continues the offsets of the digit below belongs to that digit
      auto const values = weights_.empty() ? 0 : weight / weights_.back();
      if (values == 0 || m.source % values != 0 || m.source / values != stride) {
        weights_.push_back(weight);
        stride = m.source;
      }
      weight *= m.extent;
    }
  }

  /// True if all groups of `period` offsets are equal, counted from each group's first offset.
  bool repeats(std::int64_t period) const {
    auto const size = std::int64_t(offsets_.size());
    if (period >= size) return true;
    // no digit carries from one period into the next
    for (std::size_t n = 0; n < weights_.size(); ++n)
      if (period % weights_[n] == 0 && (n + 1 == weights_.size() || weights_[n + 1] % period == 0)) return true;
    // a carry is the first place where offsets may differ, so this ends the search for most periods that do not repeat
    for (auto const weight : weights_)
      for (auto const i : {weight, round_up(period, weight)})
        if (i < size && !offset_repeats(i, period)) return false;
    work_of_planning.offsets += size - period;
    for (auto i = period; i < size; ++i)
      if (!offset_repeats(i, period)) return false;
    return true;
  }

 private:
  bool offset_repeats(std::int64_t i, std::int64_t period) const {
    auto const k = i % period;
    return offsets_[std::size_t(i)] - offsets_[std::size_t(i - k)] == offsets_[std::size_t(k)];
  }

  std::vector<std::int64_t> const& offsets_;
  std::vector<std::int64_t> weights_;
};

/// True if the distance from each offset to the next one is the same.
bool are_equidistant(std::vector<std::int64_t> const& offsets) {
  for (std::size_t i = 2; i < offsets.size(); ++i)
    if (offsets[i] - offsets[i - 1] != offsets[1]) return false;
  return true;
}

/// The units of a group: the smallest number that fills whole runs of `run` bytes and gives all groups the same offsets. Returns
/// 0 if a group would exceed the limit.
std::int64_t group_of(cpu_plan const& plan, unit_offsets const& rows, unit_offsets const& batch, std::int64_t run) {
  auto const step = run / std::gcd(run, plan.tile.unit), tile = plan.tile.rows * plan.tile.columns;
  bool const is_one_row = !plan.store.dense || plan.tile.columns * plan.tile.batch == 1;
  for (auto units = step; units * plan.tile.unit <= plan.limits.shuffled_group; units += step) {
    bool const alike = is_one_row || plan.tile.rows % units == 0 ? rows.repeats(units)
                       : units % tile == 0                       ? batch.repeats(units / tile)
                                           : units % plan.tile.rows == 0 && (tile % units == 0 || plan.tile.batch == 1);
    if (alike) return units;
  }
  return 0;
}

/// The offsets in the source, in bytes, of a tile's first `count` units.
std::vector<std::int64_t> sources_of(cpu_plan const& plan, std::int64_t count) {
  std::vector<std::int64_t> sources;
  sources.reserve(std::size_t(count));
  for (std::int64_t left; (left = count - std::ssize(sources)) > 0;) {
    auto const column = plan.source_of(std::ssize(sources));
    for (std::int64_t row = 0; row < std::min(plan.tile.rows, left); ++row)
      sources.push_back(column + plan.tables.row_source[std::size_t(row)]);
  }
  return sources;
}

/// A byte of a block.
struct shuffled_byte {
  std::int64_t source;  ///< bytes from the group's source
  std::size_t at;       ///< bytes from the beginning of the block
  auto operator<=>(shuffled_byte const&) const = default;
};
using byte_iterator = std::vector<shuffled_byte>::const_iterator;

/// The last source offset at which a piece of a block may begin. The piece then ends with the block's last byte, or later if the
/// block's bytes span less than a piece. The bytes are sorted by their source.
std::int64_t last_piece_of(byte_iterator begin, byte_iterator end) {
  return std::max(begin->source, (end - 1)->source + 1 - kBytes);
}

/// Calls visit(byte, begins) with each byte of a block. The bytes are sorted by their source. `begins` is true for the first byte
/// of a piece: the first byte, and each that the previous piece of 16 bytes does not contain.
template <class Visit>
void visit_pieces(byte_iterator begin, byte_iterator end, Visit const& visit) {
  auto const last = last_piece_of(begin, end);
  for (auto reached = begin->source; begin != end; ++begin) {
    bool const begins = begin->source >= reached;
    if (begins) reached = std::min(begin->source, last) + kBytes;
    visit(*begin, begins);
  }
}

std::size_t pieces_of(byte_iterator begin, byte_iterator end) {
  std::size_t count = 0;
  visit_pieces(begin, end, [&](shuffled_byte const&, bool begins) { count += begins; });
  return count;
}

cpu_shuffle::image_block block_of(byte_iterator begin, byte_iterator end) {
  auto const last = last_piece_of(begin, end);
  cpu_shuffle::image_block block{.low = begin->source, .high = last + kBytes};
  block.pieces.reserve(pieces_of(begin, end));
  visit_pieces(begin, end, [&](shuffled_byte const& each, bool begins) {
    if (begins) {
      auto& piece = block.pieces.emplace_back();
      piece.source = std::min(each.source, last);
      piece.low = each.source;
      piece.from.fill(cpu_shuffle::kNone);
    }
    auto& piece = block.pieces.back();
    piece.from[each.at] = std::uint8_t(each.source - piece.source);
    piece.high = each.source + 1;
  });
  return block;
}

/// The bytes of the blocks of a group, sorted by source within each block.
class sorted_blocks {
 public:
  /// Makes blocks of one lane from the sources of the units of a group that are looked up.
  sorted_blocks(std::vector<std::int64_t> const& sources, std::int64_t unit) {
    work_of_planning.shuffled += std::ssize(sources) * unit;
    bytes_.reserve(sources.size() * std::size_t(unit));
    for (auto const source : sources)
      for (std::int64_t k = 0; k < unit; ++k) bytes_.push_back({source + k, bytes_.size() % kBytes});
    for_each(bytes_, [](auto begin, auto end) { std::sort(begin, end); });
  }

  std::int64_t lanes() const { return lanes_; }

  /// Blocks of twice the lanes. The second half of a block is the next block or, if `further` is given, the same block of the
  /// line whose source is `further` bytes on.
  sorted_blocks doubled(std::optional<std::int64_t> further = {}) const {
    sorted_blocks result;
    result.lanes_ = 2 * lanes_;
    result.size_ = 2 * size_;
    work_of_planning.shuffled += std::ssize(bytes_) * (further ? 2 : 1);
    result.bytes_.reserve(bytes_.size() * (further ? 2 : 1));
    std::vector<shuffled_byte> second;
    for (auto begin = bytes_.begin(); begin != bytes_.end();) {
      auto const middle = begin + std::min(size_, bytes_.end() - begin), from = further ? begin : middle,
                 end = from + std::min(size_, bytes_.end() - from);
      second.assign(from, end);
      for (auto& each : second) each.source += further.value_or(0), each.at += std::size_t(lanes_ * kBytes);
      std::merge(begin, middle, second.begin(), second.end(), std::back_inserter(result.bytes_));
      begin = end;
    }
    return result;
  }

  /// The mean number of pieces of a block; a huge number if a block has more pieces than can be looked up.
  double cost() const {
    double sum = 0, blocks = 0;
    for_each(bytes_, [&](byte_iterator begin, byte_iterator end) {
      auto const count = pieces_of(begin, end);
      sum += count > cpu_shuffle::kMostPieces ? 1e9 : double(count);
      ++blocks;
    });
    return sum / blocks;
  }

  std::vector<cpu_shuffle::image_block> blocks() const {
    std::vector<cpu_shuffle::image_block> result;
    result.reserve(bytes_.size() / std::size_t(size_) + 1);
    for_each(bytes_, [&](byte_iterator begin, byte_iterator end) { result.push_back(block_of(begin, end)); });
    return result;
  }

 private:
  sorted_blocks() = default;

  /// Calls visit(begin, end) for the bytes of each block.
  template <class Bytes, class Visit>
  void for_each(Bytes& bytes, Visit const& visit) const {
    for (auto begin = bytes.begin(); begin != bytes.end();) {
      auto const end = begin + std::min(size_, bytes.end() - begin);
      visit(begin, end);
      begin = end;
    }
  }

  std::vector<shuffled_byte> bytes_;
  std::int64_t lanes_ = 1;
  std::ptrdiff_t size_ = kBytes;  ///< bytes of a block; the last block may have fewer
};

/// Fills in `group_end` and `is_joined` from the source offsets of a group's units.
void add_need(cpu_shuffle& shuffle, cpu_plan const& plan, std::vector<std::int64_t> const& sources) {
  auto const gap = plan.tile.unit + kPage;
  std::vector<std::pair<std::int64_t, std::int64_t>>
      reached;  // the first and the last of successive units with distances of less than a page
  for (auto before = sources.front(); auto const source : sources) {
    if (reached.empty() || std::abs(source - before) >= gap) reached.emplace_back(source, source);
    auto& [low, high] = reached.back();
    low = std::min(low, source), high = std::max(high, source);
    before = source;
  }
  std::ranges::sort(reached);
  shuffle.is_joined = true;
  auto end = reached.front().second;
  for (auto const& [low, high] : reached) {
    if (low - end >= gap) shuffle.is_joined = false;
    end = std::max(end, high);
  }
  shuffle.group_end = end + plan.tile.unit;
}

}  // namespace

cpu_shuffle shuffle_of(cpu_plan const& plan, std::vector<byte_mode> const& rows, std::vector<byte_mode> const& batch,
                       std::int64_t most_fields) {
  if (prefers_another_strategy(plan, most_fields)) return {};
  // if the source comes from memory, copying is faster for units with a constant stride that is larger than a unit
  if (plan.store.streams && plan.tile.columns == 1 && std::abs(plan.load.row_step) > plan.tile.unit) return {};
  auto const lines = plan.store.dense ? 1 : plan.tile.columns,
             line = plan.tile.rows * plan.tile.columns * plan.tile.batch / lines;
  // many lines are read fastest in short groups, so that a few rows are read at a time, each over a long run
  unit_offsets const row_table(plan.tables.row_source, rows), batch_table(plan.tables.batch_source, batch);
  std::int64_t run = 2 * (lines > 1 ? kBytes : kCacheLine), units = 0;
  while (units == 0 && run > kBytes) units = group_of(plan, row_table, batch_table, run /= 2);
  if (units == 0) return {};
  auto const sources = sources_of(plan, std::min(units, line));
  sorted_blocks best(sources, plan.tile.unit);
  auto const least = best.cost(), most = 1.5 * least;
  if (most > 1e6) return {};
  // if each unit needs a lookup of its own, copying is faster
  if (plan.tile.columns == 1 && least * double(plan.tile.unit) >= kBytes) return {};
  cpu_shuffle result{.units = units};
  for (std::int64_t j = 0; j < lines; ++j) result.lines.push_back(plan.source_of(j * plan.tile.rows));
  // wide blocks pay if their lanes are made from the same pieces: then there are fewer lookups
  bool const across = lines > 1;
  auto const most_lanes = std::min(cpu_shuffle::kMostLanes, !across ? run / kBytes : are_equidistant(result.lines) ? lines : 1);
  for (auto wide = best; 2 * wide.lanes() <= most_lanes;) {
    wide = across ? wide.doubled(result.lines[std::size_t(wide.lanes())]) : wide.doubled();
    if (wide.cost() <= most)
      best = wide, result.across = across;
    else if (across)
      break;  // more lanes across have no fewer pieces
  }
  result.lanes = best.lanes();
  result.blocks = best.blocks();
  for (std::int64_t k = 0; k < line; k += units) result.groups.push_back(plan.source_of(k));
  auto const [first, last] = std::ranges::minmax(result.groups);
  result.group_low = std::ranges::min(result.blocks, {}, &cpu_shuffle::image_block::low).low;
  result.group_high = std::ranges::max(result.blocks, {}, &cpu_shuffle::image_block::high).high;
  add_need(result, plan, sources);
  result.low = first + result.group_low, result.high = last + result.group_high;
  return result;
}

}  // namespace cornerturn
