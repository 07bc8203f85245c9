#include "cpu/tiles/strategy.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "cpu/sizes.hpp"

namespace cornerturn {
namespace {

struct strategy_row {
  std::string_view name;
  bool has_image;
};

/// The rows of strategies.def, by strategy.
constexpr strategy_row kStrategies[] = {
#define CORNERTURN_CPU_STRATEGY(name, has_image) {#name, has_image},
#include "cpu/tiles/strategies.def"
};

/// The bytes of the tile's rows or of its columns, whichever are fewer.
std::int64_t shorter_side(cpu_plan const& plan) { return std::min(plan.tile.rows, plan.tile.columns) * plan.tile.unit; }

/// True if the tile's columns can be stored as whole vectors, so that no store writes outside the tile. If the processor's
/// vectors are longer than a tile of 2 to 4 rows or columns, `transpose_cached` still uses an image.
bool fills_vectors(cpu_plan const& plan) {
  return shorter_side(plan) >= kVectorBlock ||
         (plan.store.dense && are_fields(plan.tile.rows) && plan.tile.row_bytes() >= kVectorBlock) ||
         (plan.load.dense && are_fields(plan.tile.columns) && plan.tile.column_bytes() >= kVectorBlock);
}

}  // namespace

std::string_view name_of(cpu_strategy strategy) { return kStrategies[std::size_t(strategy)].name; }

bool has_image(cpu_strategy strategy) { return kStrategies[std::size_t(strategy)].has_image; }

std::vector<std::string_view> strategy_names() {
  std::vector<std::string_view> result;
  for (auto const& each : kStrategies) result.push_back(each.name);
  return result;
}

bool is_element(std::int64_t unit) { return unit <= kVectorBlock && std::has_single_bit(std::uint64_t(unit)); }

bool are_fields(std::int64_t count, std::int64_t most) { return count >= 2 && count <= most; }

bool suits_squares(cpu_plan const& plan) {
  return !plan.store.streams && !plan.load.is_apart() && plan.store.row_step == plan.tile.unit && plan.store.column_step != 0 &&
         is_element(plan.tile.unit) && shorter_side(plan) >= kCacheLine;
}

cpu_strategy strategy_of(cpu_plan const& plan, bool may_stage) {
  auto const unit = plan.tile.unit;
  bool const streams = plan.store.streams;
  if (plan.shuffle.units) return cpu_strategy::shuffle;
  if (plan.load.is_apart()) return cpu_strategy::gather;
  bool const is_one_column = plan.tile.batch == 1 && plan.tile.columns == 1;
  if (plan.store.row_step != unit || (is_one_column && !streams && unit < kCacheLine)) return cpu_strategy::copy_units;
  if (is_one_column && (!streams || unit >= std::max(plan.limits.long_unit, kCacheLine))) return cpu_strategy::copy_runs;
  if (streams)
    return may_stage && shorter_side(plan) >= 2 * kVectorBlock ? cpu_strategy::transpose_staged : cpu_strategy::transpose_image;
  if (unit >= kLongCopy || plan.tile.cut_unit.loop >= 0) return cpu_strategy::copy_runs;
  bool const is_even = plan.tile.columns > 1 && plan.store.column_step != 0;
  if (suits_squares(plan) || (is_even && is_element(unit) && unit < kVectorBlock && fills_vectors(plan)))
    return cpu_strategy::transpose_cached;
  return unit < kCacheLine / 2 && unit % kVectorBlock ? cpu_strategy::transpose_image : cpu_strategy::copy_blocks;
}

}  // namespace cornerturn
