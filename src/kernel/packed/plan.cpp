#include "kernel/packed/plan.hpp"

#include <fmt/format.h>

#include <numeric>

#include "base/refuse.hpp"
#include "base/round.hpp"
#include "block/sizes.hpp"
#include "cornerturn/text.hpp"
#include "problem/int_limit.hpp"

namespace cornerturn {
namespace {

constexpr int kWordBytes = 4;

/// The largest power of two, at most `most`, that divides the numbers of bytes, each.
int width_of(std::int64_t most, std::initializer_list<std::int64_t> bytes) {
  for (auto const each : bytes) most = std::gcd(most, each);
  return int(most);
}

}  // namespace

packed_plan plan_packed(packed_matrices const& all, alignment const& aligned) {
  auto const count = std::int64_t(all.outer.size()) + 2;
  if (count > packed_job::kMostDigits)
    refuse({"the problem", "the number of modes of {}"}, count, fmt::format("{} or less on a GPU", packed_job::kMostDigits));
  packed_plan plan{.bits = all.packed.bits};
  auto const tile = plan.shape();
  auto& job = plan.job;
  job.source_row = all.source_row, job.destination_row = all.destination_row;
  job.source_stride = all.source_stride, job.destination_stride = all.destination_stride;
  job.first_is_highest = all.packed.first_is_highest;
  std::int64_t source = width_of(aligned.source, {all.source_row, all.source_stride}),
               destination = width_of(aligned.destination, {all.destination_row, all.destination_stride});
  std::int64_t tiles = 1;
  auto const add = [&](std::int64_t extent, radix_digit each) {
    if (extent == 1) return;
    if (extent > kIntMax / tiles)
      refuse({"the matrices", "the number of tiles of {}"}, fmt::format("{} times {}", tiles, extent),
             fmt::format("at most {} on a GPU", kIntMax));
    tiles *= extent;
    each.radix = fast_divmod(int(extent));
    job.digits[std::size_t(job.tile_digits.end++)] = each;
  };
  int const rows_bytes = tile.rows * plan.bits / 8, cols_bytes = tile.cols * plan.bits / 8;
  // Consecutive blocks write consecutive parts of rows.
  add(ceil_div(all.destination_row, std::int64_t(rows_bytes)),
      {.source = tile.rows * all.source_stride, .destination = rows_bytes, .vector_index = rows_bytes});
  add(ceil_div(all.source_row, std::int64_t(cols_bytes)),
      {.source = cols_bytes, .destination = tile.cols * all.destination_stride, .run_index = cols_bytes});
  for (auto each = all.outer.rbegin(); each != all.outer.rend(); ++each) {
    add(each->extent, {.source = each->source_stride, .destination = each->destination_stride});
    source = std::gcd(source, each->source_stride), destination = std::gcd(destination, each->destination_stride);
  }
  job.tiles = int(tiles);
  job.source_bytes = source >= kWordBytes ? kWordBytes : 1;
  job.destination_bytes = destination >= kUnitBytes ? kUnitBytes : destination >= kWordBytes ? kWordBytes : 1;
  return plan;
}

std::string_view idea_of(packed_plan const&) {
  return "squares of words are transposed in registers; words pass through shared memory to become runs of rows";
}

std::string describe(packed_plan const& plan) {
  auto const& job = plan.job;
  auto const tile = plan.shape();
  return fmt::format("packed elements of {}, {} first, {} threads: {} of {} x {}, loads of {}, stores of {}",
                     count_text(plan.bits, "bit"), job.first_is_highest ? "highest" : "lowest", tile.threads,
                     count_text(job.tiles, "tile"), tile.rows, tile.cols, count_text(job.source_bytes, "byte"),
                     count_text(job.destination_bytes, "byte"));
}

plan_decisions<packed_plan> packed_plan::decisions() {
  return {{{"bits",
            {"4 bits", "2 bits", "1 bit"},
            [](packed_plan const& plan) { return plan.bits == 4   ? 0
                                                 : plan.bits == 2 ? 1
                                                                  : 2; }},
           {"first", {"lowest", "highest"}, [](packed_plan const& plan) { return plan.job.first_is_highest; }},
           {"loads", {"loads of bytes", "loads of words"}, [](packed_plan const& plan) { return plan.job.source_bytes > 1; }},
           {"stores",
            {"stores of bytes", "stores of words", "stores of vectors"},
            [](packed_plan const& plan) {
              return plan.job.destination_bytes == 1 ? 0 : plan.job.destination_bytes == 4 ? 1 : 2;
            }},
           {"tiles", {"one tile", "several tiles"}, [](packed_plan const& plan) { return plan.job.tiles > 1; }}}};
}

}  // namespace cornerturn
