#include "cpu/tiles/tiles.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "cpu/panel.hpp"
#include "cpu/tiles/change_row.hpp"
#include "cpu/tiles/fields.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/tiles/tiles.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Highway compiles this file once for each target (a set of instructions). The files below belong to the target's namespace. Each
// file uses files of the paragraphs before it.
HWY_BEFORE_NAMESPACE();
namespace cornerturn::cpu::HWY_NAMESPACE {

#include "cpu/panel-inl.hpp"

#include "cpu/units-inl.hpp"

#if HWY_TARGET == HWY_SCALAR
#include "cpu/scalar-inl.hpp"
#else
#include "cpu/transpose-inl.hpp"

#include "cpu/squares-inl.hpp"
#include "cpu/stream-inl.hpp"

#include "cpu/lines-inl.hpp"
#endif

#include "cpu/tiles/strategy/tile-inl.hpp"

#include "cpu/tiles/strategy/copy_blocks-inl.hpp"
#include "cpu/tiles/strategy/copy_units-inl.hpp"
#include "cpu/tiles/strategy/image-inl.hpp"

#include "cpu/tiles/strategy/copy_runs-inl.hpp"
#include "cpu/tiles/strategy/transpose_image-inl.hpp"

#include "cpu/tiles/strategy/copy_nt-inl.hpp"
#include "cpu/tiles/strategy/gather-inl.hpp"
#include "cpu/tiles/strategy/transpose_cached-inl.hpp"
#if HWY_TARGET == HWY_SCALAR
#include "cpu/tiles/strategy/scalar-inl.hpp"
#else
#include "cpu/tiles/strategy/deinterleave_nt-inl.hpp"
#include "cpu/tiles/strategy/interleave_nt-inl.hpp"
#include "cpu/tiles/strategy/shuffle-inl.hpp"
#include "cpu/tiles/strategy/transpose_nt-inl.hpp"
#include "cpu/tiles/strategy/transpose_staged-inl.hpp"
#endif

/// Moves one tile.
using strategy = void (*)(call const&, tile const&);

/// The function of each strategy, in the order of `cpu_strategy`.
constexpr strategy kMoves[] = {
#define CORNERTURN_CPU_STRATEGY(name, has_image) name,
#include "cpu/tiles/strategies.def"
};

/// True if the tiles of a plan whose last loop is over rows may begin with lines: columns are long, rows are evenly spaced, and
/// the lines of all columns begin at one row.
bool may_begin_with_lines(cpu_plan const& plan) {
  auto const& [load, store, loop] = std::tie(plan.load, plan.store, plan.loops.back());
  offset const unit = plan.tile.unit, rows = plan.tile.rows;
  bool const is_even = load.row_step != 0 && loop.source == rows * load.row_step && store.row_step == unit;
  bool const are_lines = store.streams && store.alignment == kCacheLine && rows * unit % kCacheLine == 0;
  return is_even && are_lines && loop.count * rows * unit >= plan.limits.long_column;
}

/// The rows before the first whole line of columns; 0 if lines begin within a row.
offset rows_before_lines(offset unit, bytes const* destination) {
  offset const head = offset(-address_of(destination) % std::uintptr_t(kCacheLine));
  return head % unit == 0 ? head / unit : 0;
}

/// A tile whose rows begin `before` rows later than the plan's. `left` is the number of rows from the plan's first row on.
inline tile moved_on(call const& c, tile each, offset before, offset left) {
  each.source += before * c.plan.load.row_step, each.destination += before * each.unit;
  each.rows = std::clamp<offset>(left - before, 0, c.plan.tile.rows);
  each.ends |= before + each.rows >= left;
  return each;
}

inline void move_changing(cpu_plan const& plan, tile_share const& share, element_changer const* changer) {
  auto* const image = reinterpret_cast<bytes*>(share.image);
  auto const* source = reinterpret_cast<bytes const*>(share.source);
  auto* destination = reinterpret_cast<bytes*>(share.destination) + plan.store.offset;
  call const all{.plan = plan,
                 .tables = plan.tables,
                 .pitch = plan.pitch(),
                 .image = image + kCacheLine,
                 .stage = plan.stage_bytes() ? image + plan.stage_offset() : nullptr,
                 .source_begin = source + plan.load.begin,
                 .source_end = source + plan.load.end,
                 .changer = changer};
  auto const move = kMoves[std::size_t(plan.strategy)];
  source += plan.load.offset;

  auto const finish = [&](offset unreported) {
    if (share.report) (*share.report)(unreported);
    if (plan.store.streams) hwy::FlushStream();
  };
  if (plan.loops.empty()) {  // a small call has one tile, and would take as long as the loops below
    if (share.first == share.end) return;
    tile const only{.source = source,
                    .destination = destination,
                    .next = source,
                    .unit = plan.tile.unit,
                    .batch = plan.tile.batch,
                    .rows = plan.tile.rows,
                    .columns = plan.tile.columns,
                    .begins = true,
                    .ends = true};
    move(all, only);
    return finish(only.size());
  }
  std::vector<offset> index(plan.loops.size());
  auto rest = share.first;
  for (auto k = index.size(); k-- > 0; rest /= plan.loops[k].count) index[k] = rest % plan.loops[k].count;
  for (std::size_t k = 0; k < index.size(); ++k) {
    source += index[k] * plan.loops[k].source;
    destination += index[k] * plan.loops[k].destination;
  }
  offset unreported = 0;
  bool const along_rows = plan.tile.cut_rows.loop >= 0 && plan.tile.cut_rows.loop == int(plan.loops.size()) - 1;
  bool const begins_with_lines = along_rows && may_begin_with_lines(plan);
  auto end = share.end;
  for (auto number = share.first; number < end; ++number) {
    bool const is_last_row = index.back() == plan.loops.back().count - 1;
    if (share.extend && along_rows && !is_last_row && number == end - 1) end = (*share.extend)(end);
    auto const size = [&](tile_cut const& cut, offset full) {
      return cut.loop >= 0 && index[std::size_t(cut.loop)] == plan.loops[std::size_t(cut.loop)].count - 1 ? cut.last : full;
    };
    tile each{.source = source,
              .destination = destination,
              .next = nullptr,
              .unit = size(plan.tile.cut_unit, plan.tile.unit),
              .batch = size(plan.tile.cut_batch, plan.tile.batch),
              .rows = size(plan.tile.cut_rows, plan.tile.rows),
              .columns = size(plan.tile.cut_columns, plan.tile.columns),
              .begins = !along_rows || number == share.first || index.back() == 0,
              .ends = !along_rows || number == end - 1 || is_last_row};
    bool const is_first = index.back() == 0;
    auto const before = begins_with_lines ? rows_before_lines(plan.tile.unit, destination) : 0;
    auto const left = plan.tile.cut_rows.last + (plan.loops.back().count - 1 - index.back()) * plan.tile.rows;
    for (auto k = index.size(); k-- > 0;) {
      auto const& loop = plan.loops[k];
      source += loop.source, destination += loop.destination;
      if (++index[k] < loop.count) break;
      source -= loop.count * loop.source, destination -= loop.count * loop.destination;
      index[k] = 0;
    }
    each.next = source + before * plan.load.row_step;
    if (before > 0) {
      auto first = each;
      first.rows = std::min(before, each.rows), first.begins = first.ends = true;
      if (is_first) move(all, first);
      each = moved_on(all, each, before, left);
    }
    if (each.rows > 0) move(all, each);
    unreported += each.size();
    if (share.report && unreported >= plan.limits.reported && !(*share.report)(std::exchange(unreported, 0))) break;
  }
  finish(unreported);
}

void move_tiles(cpu_plan const& plan, tile_share const& share) {
  if (!plan.change) return move_changing(plan, share, nullptr);
  element_changer const changer(plan.change->operation, plan.limits.convert_at_once);
  move_changing(plan, share, &changer);
}

std::string name_of_target() { return hwy::TargetName(HWY_TARGET); }

}  // namespace cornerturn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornerturn::cpu {

HWY_EXPORT(move_tiles);
HWY_EXPORT(name_of_target);

void move_tiles(cpu_plan const& plan, tile_share const& share) { HWY_DYNAMIC_DISPATCH(move_tiles)(plan, share); }
std::string instructions() { return HWY_DYNAMIC_DISPATCH(name_of_target)(); }

}  // namespace cornerturn::cpu
#endif
