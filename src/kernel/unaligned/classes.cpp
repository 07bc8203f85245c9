#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/round.hpp"
#include "kernel/unaligned/plan.hpp"
#include "launch/group_blocks.hpp"
#include "tile/decoded_index.hpp"

namespace cornerturn {

namespace {

using decoded = tile::decoded_index<std::int64_t>;

/// The rows or the columns of a tile. They may consist of several modes.
class tile_side {
 public:
  tile_side(unaligned_job const& job, digit_range const& digits, std::int64_t radix_digit::*step)
      : job_(job), digits_(digits), step_(step) {}

  struct form {
    std::int64_t number;       ///< identifies the list of distances from the first row to each row, modulo a cache line
    std::int64_t first;        ///< bytes to the tile's first row
    std::int64_t least, most;  ///< smallest and largest number of bytes to a row
  };

  /// Describes `count` rows from `first` on. The form's number stands for the distances of `listed` rows.
  form const& operator()(std::int64_t first, std::int64_t count, std::int64_t listed) {
    auto const [known, is_new] = forms_.try_emplace(first);
    if (!is_new) return known->second;
    auto const offset = [&](std::int64_t i) {
      decoded const at(job_, digits_, int(first + i));
      return step_ == &radix_digit::source ? at.source : at.destination;
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
  std::int64_t radix_digit::*step_;
  std::unordered_map<std::int64_t, form> forms_;  ///< keyed by first row
  std::unordered_map<block_kind, std::int64_t, numbers_hash> numbers_;
};

}  // namespace

std::vector<block_class> classes_of(unaligned_plan const& plan, array_addresses const& given) {
  auto const& job = plan.job;
  source_memory const memory(plan, given);
  int const per_unit = kUnitBytes / plan.element_size, per_word = 4 / plan.element_size;
  tile_side rows(job, job.row_digits, &radix_digit::source), cols(job, job.col_digits, &radix_digit::destination);
  return grouped(job.tiles, [&](std::int64_t index, block_kind& kind) {
    decoded const at(job, job.tile_digits, int(index));
    auto const place = block_place(job, at, per_unit);
    auto const& of_rows = rows(place.first_row, place.rows_read, round_up(place.rows_read, per_word));
    auto const& of_cols = cols(place.first_col, place.cols, place.cols);
    kind = {in_line(at.source + of_rows.first),
            in_line(at.destination + of_cols.first),
            of_rows.number,
            of_cols.number,
            std::min(place.rows_left, job.tile_rows + 2 * per_unit),
            place.cols,
            place.first_row == 0,
            memory.kind_of_ends(at.source + of_rows.first, at.source + of_rows.least,
                                at.source + of_rows.most + place.cols * plan.element_size)};
  });
}

}  // namespace cornerturn
