#include <algorithm>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "explain/classes.hpp"
#include "explain/requests.hpp"
#include "plan/round.hpp"
#include "problem/fail.hpp"
#include "tile/digit_sum.hpp"

namespace cornerturn {
namespace {

using sum = tile::digit_sum<std::int64_t>;

constexpr std::int64_t kUnit = 16, kMostBlocks = std::int64_t(1) << 26;

/// Everything that the accesses of a block depend on, as a list of numbers. Blocks with equal lists have equal accesses.
using block_kind = std::vector<std::int64_t>;

struct kind_hash {
  std::size_t operator()(block_kind const& kind) const {
    std::size_t result = kind.size();
    for (auto const part : kind) result = (result ^ std::size_t(part)) * 0x9E3779B97F4A7C15;
    return result ^ result >> 32;
  }
};

std::int64_t in_line(std::int64_t bytes) { return bytes & (kLineBytes - 1); }

/// Groups blocks 0 to `blocks` - 1 by their kind, which write(index, kind) appends to an empty list. Groups are ordered by their
/// first block.
template <class Write>
std::vector<block_class> grouped(std::int64_t blocks, Write const& write) {
  if (blocks > kMostBlocks) refuse("the plan's number of blocks", blocks, "at most 2^26 to be explained");
  std::unordered_map<block_kind, std::size_t, kind_hash> known;
  std::vector<block_class> result;
  block_kind kind;
  for (std::int64_t index = 0; index < blocks; ++index) {
    kind.clear();
    write(index, kind);
    auto const [at, is_new] = known.try_emplace(kind, result.size());
    if (is_new) result.push_back({index, 0});
    ++result[at->second].count;
  }
  return result;
}

/// The address range of the source. An aligned 16-byte unit may extend beyond it.
struct source_memory {
  std::int64_t pointer, low, high;  ///< addresses

  template <class Plan>
  source_memory(Plan const& plan, array_addresses const& at)
      : pointer(std::int64_t(at.source) + plan.source_offset * plan.element_size),
        low(pointer + plan.job.source_low),
        high(pointer + plan.job.source_high) {}

  /// Returns a number that tells apart the blocks with a 16-byte unit partly outside the source: each of them gets `tile`, its
  /// offset, and all other blocks get one number. `tile`, `first` and `past_last` are bytes from the pointer.
  std::int64_t kind_of_ends(std::int64_t tile, std::int64_t first, std::int64_t past_last) const {
    bool const overlaps = ((pointer + first) & -kUnit) < low || ((pointer + past_last + kUnit - 1) & -kUnit) > high;
    return overlaps ? tile : std::numeric_limits<std::int64_t>::max();
  }
};

/// Computes the source bytes that an edge tile of `gather` does not reach.
struct gather_reach {
  gather_job const& job;
  std::int64_t run_step = 0, vector_step = 0;  ///< source bytes between two indices of the cut modes

  explicit gather_reach(gather_job const& given) : job(given) {
    for (int i = job.outer.begin; i < job.outer.end; ++i) {
      auto const& each = job.digits[std::size_t(i)];
      if (each.of_vectors)
        vector_step = each.source / each.of_vectors;
      else if (each.of_run)
        run_step = each.source / each.of_run;
    }
  }

  /// The bytes that an edge tile lacks compared with a full tile, at its low end (negative strides) and at its high end.
  std::pair<std::int64_t, std::int64_t> missing(std::int64_t run_left, std::int64_t vectors_left) const {
    auto const of_run = std::max<std::int64_t>(0, job.run_reach - run_left) * run_step,
               of_vectors = std::max<std::int64_t>(0, job.vector_reach - vectors_left) * vector_step;
    return {std::min<std::int64_t>(of_run, 0) + std::min<std::int64_t>(of_vectors, 0),
            std::max<std::int64_t>(of_run, 0) + std::max<std::int64_t>(of_vectors, 0)};
  }
};

/// The rows or the columns of an unaligned job's tile. They may consist of several modes.
class tile_side {
 public:
  tile_side(unaligned_job const& job, digit_range const& digits, std::int64_t digit::*step)
      : job_(job), digits_(digits), step_(step) {}

  struct form {
    std::int64_t number;       ///< numbers the list of distances between the tile's rows, modulo a cache line
    std::int64_t first;        ///< bytes to the tile's first row
    std::int64_t least, most;  ///< bytes to the nearest and the furthest row
  };

  /// Describes the rows from `first` on: `count` rows exist, and the distances of `listed` rows form the number.
  form const& operator()(std::int64_t first, std::int64_t count, std::int64_t listed) {
    auto const [known, is_new] = forms_.try_emplace(first);
    if (!is_new) return known->second;
    auto const offset = [&](std::int64_t i) {
      sum const at(job_, digits_, int(first + i));
      return step_ == &digit::source ? at.source : at.destination;
    };
    form each{0, offset(0), offset(0), offset(0)};
    block_kind distances;
    for (std::int64_t i = 0; i < listed; ++i) {
      auto const bytes = offset(i);
      distances.push_back(in_line(bytes - each.first));
      if (i < count) each.least = std::min(each.least, bytes), each.most = std::max(each.most, bytes);
    }
    each.number = numbers_.try_emplace(std::move(distances), std::int64_t(numbers_.size())).first->second;
    return known->second = each;
  }

 private:
  unaligned_job const& job_;
  digit_range digits_;
  std::int64_t digit::*step_;
  std::unordered_map<std::int64_t, form> forms_;  ///< keyed by first row
  std::unordered_map<block_kind, std::int64_t, kind_hash> numbers_;
};

/// Classifies the blocks of an aligned interleave plan. The groups of a block are contiguous up to the end of the fastest mode.
std::vector<block_class> classes_of_groups(interleave_plan const& plan) {
  constexpr std::int64_t kThreads = 256;
  auto const& job = plan.job;
  bool const one_mode = job.counted.end - job.counted.begin <= 1;
  std::int64_t const radix = one_mode ? job.count : job.digits[std::size_t(job.counted.begin)].radix.divisor;
  return grouped(ceil_div(std::int64_t(job.count), kThreads), [&](std::int64_t index, block_kind& kind) {
    auto const first = index * kThreads, end = std::min<std::int64_t>(first + kThreads, job.count);
    for (auto group = first; group < end; group += radix - group % radix) {
      sum const at(job, job.counted, int(group));
      kind.insert(kind.end(), {group - first, in_line(at.source), in_line(at.destination)});
    }
    kind.push_back(end - first);
  });
}

/// Classifies the tiles of an interleave plan whose rows begin unaligned.
std::vector<block_class> classes_of_tiles(interleave_plan const& plan, array_addresses const& given) {
  constexpr std::int64_t kGroups = 255;
  auto const& job = plan.job;
  source_memory const memory(plan, given);
  std::int64_t const size = plan.element_size, per_unit = kUnit / size, most = (kGroups + 2) * per_unit;
  return grouped(job.count, [&](std::int64_t index, block_kind& kind) {
    sum const at(job, job.counted, int(index));
    // The tile begins at most one unit before element `number` of its rows, and ends less than `most` elements after it.
    auto const number = at.of_run * kGroups * per_unit, begin = std::max<std::int64_t>(0, number - per_unit),
               end = std::min(job.many, number + most);
    auto const source_step = plan.together ? size : plan.few * size, destination_step = plan.together ? plan.few * size : size,
               across = plan.together ? (plan.few - 1) * job.apart : 0, source = at.source + number * source_step;
    kind = {in_line(source), in_line(at.destination + number * destination_step), at.of_run == 0,
            std::min(job.many - number, most),
            memory.kind_of_ends(source, at.source + std::min<std::int64_t>(0, across) + begin * source_step,
                                at.source + std::max<std::int64_t>(0, across) + end * source_step)};
  });
}

}  // namespace

std::vector<block_class> classes_of(gather_plan const& plan, array_addresses const& given) {
  auto const& job = plan.job;
  source_memory const memory(plan, given);
  gather_reach const reach(job);
  return grouped(job.tiles, [&](std::int64_t index, block_kind& kind) {
    sum const at(job, job.outer, int(index));
    auto const run_left = std::min<std::int64_t>(job.run_extent - at.of_run, job.run_reach),
               vectors_left = std::min<std::int64_t>(job.vector_extent - at.of_vectors, job.vector_reach + 1);
    bool const inside = at.source + job.tile_low >= job.source_low && at.source + job.tile_high <= job.source_high;
    auto const [before, behind] = reach.missing(run_left, vectors_left);
    kind = {
        in_line(at.source),
        in_line(at.destination),
        run_left,
        vectors_left,
        at.of_vectors == 0,
        inside,
        memory.kind_of_ends(at.source, at.source + job.tile_low + kUnit - before, at.source + job.tile_high - kUnit - behind)};
  });
}

std::vector<block_class> classes_of(interleave_plan const& plan, array_addresses const& at) {
  return plan.anywhere ? classes_of_tiles(plan, at) : classes_of_groups(plan);
}

std::vector<block_class> classes_of(unaligned_plan const& plan, array_addresses const& given) {
  auto const& job = plan.job;
  source_memory const memory(plan, given);
  std::int64_t const size = plan.element_size, per_unit = kUnit / size, per_word = 4 / size;
  tile_side rows(job, job.rows, &digit::source), cols(job, job.cols, &digit::destination);
  return grouped(job.count, [&](std::int64_t index, block_kind& kind) {
    sum const at(job, job.tiles, int(index));
    auto const rows_left = job.row_count - at.of_vectors, read = std::min<std::int64_t>(rows_left, job.tile_rows + per_unit),
               here = std::min<std::int64_t>(job.col_count - at.of_run, job.tile_cols);
    auto const& of_rows = rows(at.of_vectors, read, round_up(read, per_word));
    auto const& of_cols = cols(at.of_run, here, here);
    kind = {in_line(at.source + of_rows.first),
            in_line(at.destination + of_cols.first),
            of_rows.number,
            of_cols.number,
            std::min(rows_left, job.tile_rows + 2 * per_unit),
            here,
            at.of_vectors == 0,
            memory.kind_of_ends(at.source + of_rows.first, at.source + of_rows.least, at.source + of_rows.most + here * size)};
  });
}

std::vector<block_class> classes_of(small_plan const& plan, array_addresses const&) {
  auto const& job = plan.job;
  auto const tile = plan.shape();
  std::int64_t const size = plan.element_size;
  return grouped(plan.blocks, [&](std::int64_t index, block_kind& kind) {
    int row, col, matrix;
    job.down(matrix, row, int(index));
    job.across(matrix, col, matrix);
    std::int64_t const first_row = row * tile.rows, first_col = col * tile.cols,
                       source = matrix * job.source_batch_stride + first_row * job.source_pitch + first_col,
                       destination = matrix * job.destination_batch_stride + first_col * job.destination_pitch + first_row;
    kind = {in_line(source * size), in_line(destination * size), std::min<std::int64_t>(tile.rows, job.rows - first_row),
            std::min<std::int64_t>(tile.cols, job.cols - first_col)};
  });
}

}  // namespace cornerturn
