#include "engine/cpu/tiles.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/tiles.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/cpu/cached-inl.hpp"
#include "engine/cpu/shuffle-inl.hpp"
#include "engine/cpu/there-inl.hpp"
#include "engine/cpu/turn-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cornerturn::cpu::HWY_NAMESPACE {

/// A run so long gains nothing from being gathered with its neighbours first, even where it is streamed.
constexpr offset kLongRun = 1024;

/// One tile, where it is, and how much of it there is.
struct tile {
  bytes const* source;
  bytes* destination;
  offset unit, batch, rows, columns;
  bool begins, ends;  ///< its columns: the tile before or after is not its neighbour along the rows

  offset size() const { return unit * batch * rows * columns; }
};

/// Asks for the lines of a tile that comes next, little by little while another one is written. Only where its rows follow each
/// other: of rows that lie apart, the processor sees by itself that they are read in order, and does better.
class prefetcher {
 public:
  prefetcher(cpu_plan const& plan, bytes const* source) : plan_(plan), source_(source), width_(plan.columns * plan.unit) {}

  void ask(offset count) {
    if (!plan_.dense_source) return;
    for (count += rest_; count >= kLine; count -= kLine) {
      if (row_ == plan_.rows) {
        if (++batch_ >= plan_.batch) return;
        row_ = 0;
      }
      hwy::Prefetch(source_ + plan_.batch_source[std::size_t(batch_)] + plan_.row_source[std::size_t(row_)] + at_);
      at_ += kLine;
      if (at_ >= width_) at_ = 0, ++row_;
    }
    rest_ = count;
  }

 private:
  cpu_plan const& plan_;
  bytes const* source_;
  offset const width_;
  offset batch_ = 0, row_ = 0, at_ = 0, rest_ = 0;
};

/// Calls body(unit), of an element's size with a constant.
template <class Body>
HWY_INLINE void with_size(offset unit, Body const& body) {
  switch (unit) {
    case 1:
      return body(std::integral_constant<int, 1>());
    case 2:
      return body(std::integral_constant<int, 2>());
    case 4:
      return body(std::integral_constant<int, 4>());
    case 8:
      return body(std::integral_constant<int, 8>());
    case 16:
      return body(std::integral_constant<int, 16>());
    default:
      return body(unit);
  }
}

/// Calls body(unit) with the constant that `unit` is, a number of blocks of less than two cache lines.
template <class Body>
HWY_INLINE void with_blocks(offset unit, Body const& body) {
  [&]<int... Blocks>(std::integer_sequence<int, Blocks...>) {
    ((unit == (Blocks + 1) * kBlock ? body(std::integral_constant<int, (Blocks + 1) * int(kBlock)>()) : void()), ...);
  }
  (std::make_integer_sequence<int, 2 * kLine / kBlock - 1>());
}

class mover {
 public:
  mover(cpu_plan const& plan, tile_share const& share)
      : plan_(plan),
        share_(share),
        pitch_(plan.pitch()),
        alignment_(plan.alignment),
        image_(reinterpret_cast<bytes*>(share.image) + kLine),
        stage_(plan.stage_bytes() ? reinterpret_cast<bytes*>(share.image) + plan.stage_offset() : nullptr),
        source_begin_(reinterpret_cast<bytes const*>(share.source) + plan.source_begin),
        source_end_(reinterpret_cast<bytes const*>(share.source) + plan.source_end) {}

  void run() {
    std::vector<offset> index(plan_.loops.size());
    auto rest = share_.first;
    for (auto k = index.size(); k-- > 0; rest /= plan_.loops[k].count) index[k] = rest % plan_.loops[k].count;
    auto const* source = reinterpret_cast<bytes const*>(share_.source) + plan_.source_offset;
    auto* destination = reinterpret_cast<bytes*>(share_.destination) + plan_.destination_offset;
    for (std::size_t k = 0; k < index.size(); ++k) {
      source += index[k] * plan_.loops[k].source;
      destination += index[k] * plan_.loops[k].destination;
    }
    offset untold = 0;
    auto const move = move_of(plan_.strategy);
    bool const along_rows = plan_.cut_rows.loop >= 0 && plan_.cut_rows.loop == int(plan_.loops.size()) - 1;
    for (auto number = share_.first; number < share_.end; ++number) {
      auto const size = [&](tile_cut const& cut, offset full) {
        return cut.loop >= 0 && index[std::size_t(cut.loop)] == plan_.loops[std::size_t(cut.loop)].count - 1 ? cut.last : full;
      };
      tile const each{.source = source,
                      .destination = destination,
                      .unit = size(plan_.cut_unit, plan_.unit),
                      .batch = size(plan_.cut_batch, plan_.batch),
                      .rows = size(plan_.cut_rows, plan_.rows),
                      .columns = size(plan_.cut_columns, plan_.columns),
                      .begins = !along_rows || number == share_.first || index.back() == 0,
                      .ends = !along_rows || number == share_.end - 1 || index.back() == plan_.loops.back().count - 1};
      for (auto k = index.size(); k-- > 0;) {
        auto const& loop = plan_.loops[k];
        source += loop.source, destination += loop.destination;
        if (++index[k] < loop.count) break;
        source -= loop.count * loop.source, destination -= loop.count * loop.destination;
        index[k] = 0;
      }
      (this->*move)(each, source);
      untold += each.size();
      if (share_.moved && untold >= kTold && !(*share_.moved)(std::exchange(untold, 0))) break;
    }
    if (share_.moved) (*share_.moved)(untold);
    if (plan_.streams) hwy::FlushStream();
  }

 private:
  static constexpr offset kTold = 4 << 20, kStep = 512;

  using move = void (mover::*)(tile const&, bytes const* next);

  static move move_of(cpu_strategy strategy) {
    switch (strategy) {
      case cpu_strategy::copy_units:
        return &mover::copy_units_apart;
      case cpu_strategy::copy_runs:
        return &mover::copy_runs;
      case cpu_strategy::copy_blocks:
        return &mover::copy_blocks;
      case cpu_strategy::copy_nt:
        return &mover::copy_nt;
      case cpu_strategy::transpose_cached:
        return &mover::transpose_in_caches;
      case cpu_strategy::transpose_image:
      case cpu_strategy::transpose_staged:
        return &mover::transpose_image;
      case cpu_strategy::transpose_nt:
        return &mover::move_squares;
      case cpu_strategy::deinterleave_nt:
        return &mover::move_parts;
      case cpu_strategy::interleave_nt:
        return &mover::move_joins;
      case cpu_strategy::gather:
        return &mover::gather;
      case cpu_strategy::shuffle:
        return &mover::shuffle;
    }
    return nullptr;
  }

  /// Two cache lines of every column at once, on from where the tile before has left them.
  void move_squares(tile const& t, bytes const* next) {
    offset const two = 2 * kLine;
    bool const on = plan_.rows * t.unit % two == 0 && (plan_.cut_rows.loop < 0 || plan_.cut_rows.last * t.unit >= two);
    bool there = false;
    with_size(t.unit, [&]<class Unit>(Unit unit) {
      if constexpr (!std::is_same_v<Unit, offset>)
        there = turn_there<unit>({.rows = rows_of(t, 0, 0, t.rows),
                                  .next = next,
                                  .ahead = plan_.ahead,
                                  .to = t.destination,
                                  .columns = plan_.column_destination.data(),
                                  .alignment = alignment_,
                                  .kept = stage_,
                                  .begins = t.begins || !on,
                                  .ends = t.ends || !on});
    });
    if (!there) by_image(t, 0, t.rows);
  }

  /// Whole cache lines of a few columns, the rows on either side of them by way of the image.
  void move_parts(tile const& t, bytes const*) {
    auto const address = reinterpret_cast<std::uintptr_t>(t.destination);
    offset const line = kLine / t.unit, head = std::min(t.rows, offset(-address % kLine) / t.unit),
                 whole = address % std::uintptr_t(t.unit) ? 0 : (t.rows - head) / line * line;
    bool there = false;
    if (whole)
      with_size(t.unit, [&]<class Unit>(Unit unit) {
        if constexpr (!std::is_same_v<Unit, offset>)
          there = part_there<unit>(rows_of(t, 0, head, whole), t.destination + head * unit, plan_.column_destination.data());
      });
    if (!there) return by_image(t, 0, t.rows);
    by_image(t, 0, head);
    by_image(t, head + whole, t.rows);
  }

  /// So many rows at a time as fill a cache line.
  void by_image(tile const& t, offset begin, offset end) {
    offset const line = kLine / t.unit;
    for (offset i = begin; i < end; i += line) {
      auto const p = rows_of(t, 0, i, std::min(line, end - i));
      turn(p, t.unit);
      for (offset j = 0; j < t.columns; ++j)
        std::memcpy(t.destination + plan_.column_destination[std::size_t(j)] + i * t.unit, image_ + j * pitch_,
                    std::size_t(p.rows * t.unit));
    }
  }

  void move_joins(tile const& t, bytes const* next) {
    if (!kWholeLines || !move_joined(t)) transpose_image(t, next);
  }

  /// Few rows, past the caches. Returns whether cache lines begin with whole columns somewhere.
  bool move_joined(tile const& t) {
    auto const p = rows_of(t, 0, 0, t.rows);
    offset const column = t.rows * t.unit, lines = kLine / t.unit;
    offset first = 0;
    while (first < lines && reinterpret_cast<std::uintptr_t>(t.destination + first * column) % kLine) ++first;
    if (first == lines || first > t.columns) return false;
    auto const one_by_one = [&](offset begin, offset end) {
      for (offset j = begin; j < end; ++j)
        for (offset i = 0; i < t.rows; ++i)
          std::memcpy(t.destination + j * column + i * t.unit, p.source + p.row_source[i] + j * t.unit, std::size_t(t.unit));
    };
    offset done = 0;
    with_size(t.unit, [&]<class Unit>(Unit unit) {
      if constexpr (!std::is_same_v<Unit, offset>) done = join_there<unit>(p, first, t.destination);
    });
    one_by_one(0, first);
    one_by_one(first + done, t.columns);
    return true;
  }

  /// Whether its units are whole cache lines.
  bool is_of_lines(tile const& t) const {
    return t.unit % kLine == 0 && alignment_ == kLine && reinterpret_cast<std::uintptr_t>(t.destination) % kLine == 0;
  }

  /// Unit by unit, as they lie apart on either side.
  void copy_units_apart(tile const& t, bytes const*) {
    copy_rows(t.destination, plan_.row_step, rows_of(t, 0, 0, t.rows), t.unit);
  }

  /// A column's units, to places so many bytes apart, a few at a time.
  void copy_rows(bytes* to, offset step, part const& given, offset unit_bytes) {
    with_size(unit_bytes, [to, step, p = given, gap = plan_.row_gap](auto unit) {
      constexpr offset kAtOnce = 4;
      auto const copy = [=](offset i, offset source) HWY_ATTR { copy_unit(to + i * step, p.source + source, unit); };
      offset i = 0;
      if (gap) {
        for (auto source = p.row_source[0]; i + kAtOnce <= p.rows; i += kAtOnce)
          for (offset k = 0; k < kAtOnce; ++k, source += gap) copy(i + k, source);
      } else {
        for (; i + kAtOnce <= p.rows; i += kAtOnce)
          for (offset k = 0; k < kAtOnce; ++k) copy(i + k, p.row_source[i + k]);
      }
      for (; i < p.rows; ++i) copy(i, p.row_source[i]);
    });
  }

  void copy_nt(tile const& t, bytes const* next) {
    if (is_of_lines(t)) return copy_lines(t, next);
    t.unit >= kLongRun ? copy_runs(t, next) : transpose_image(t, next);
  }

  /// Two cache lines of every column at least, while the next rows are asked for.
  void copy_lines(tile const& t, bytes const* next) {
    offset const group = std::max<offset>(1, 2 * kLine / t.unit);
    for (offset first = 0; first < t.rows; first += group)
      for (offset j = 0; j < t.columns; ++j)
        for (offset i = first; i < std::min(first + group, t.rows); ++i) {
          auto const below = i + group < t.rows ? t.source + plan_.row_source[i + group] : next + plan_.row_source[i - first];
          for (offset at = 0; at < t.unit; at += kLine) ask_for(below + j * t.unit + at);
          stream_lines(t.destination + plan_.column_destination[j] + i * t.unit, t.source + plan_.row_source[i] + j * t.unit,
                       t.unit);
        }
  }

  /// Short units of whole blocks, of which nothing is gained by turning them in an image: of so many columns at once as fill a
  /// cache line of the source.
  void copy_blocks(tile const& t, bytes const*) {
    with_blocks(t.unit, [&](auto unit) {
      constexpr offset kGroup = std::max<offset>(1, kLine / unit);
      for (offset b = 0; b < t.batch; ++b) {
        auto const p = rows_of(t, b, 0, t.rows);
        auto const copy = [unit, p, columns = plan_.column_destination.data(),
                           to = t.destination + b * t.rows * t.columns * unit](offset first, offset last) {
          for (offset i = 0; i < p.rows; ++i)
            for (offset j = first; j < last; ++j)
              copy_unit(to + columns[j] + i * unit, p.source + p.row_source[i] + j * unit, unit);
        };
        offset first = 0;
        for (; first + kGroup <= t.columns; first += kGroup) copy(first, first + kGroup);
        for (; first < t.columns; ++first) copy(first, first + 1);
      }
    });
  }

  void copy_runs(tile const& t, bytes const* next) {
    prefetcher ahead(plan_, next);
    for (offset b = 0; b < t.batch; ++b)
      for (offset i = 0; i < t.rows; ++i)
        for (offset j = 0; j < t.columns; ++j)
          put(t.destination + b * t.rows * t.columns * t.unit + plan_.column_destination[std::size_t(j)] + i * t.unit,
              t.source + plan_.batch_source[std::size_t(b)] + plan_.row_source[std::size_t(i)] + j * t.unit, t.unit, ahead);
  }

  /// Into the image; or to where it belongs: what is one run there, and is not streamed.
  void shuffle(tile const& t, bytes const* next) {
    if (!kShuffles) return plan_.shares ? gather(t, next) : transpose_image(t, next);
    offset const lines = plan_.dense_image ? 1 : t.columns, units = t.rows * t.columns * t.batch / lines;
    bool const there = lines == 1 && !plan_.streams;
    shuffler({.plan = plan_,
              .source = t.source,
              .source_begin = source_begin_,
              .source_end = source_end_,
              .image = there ? t.destination : image_,
              .rest = there ? image_ : nullptr,
              .pitch = pitch_,
              .lines = lines,
              .units = units})
        .run();
    offset const rest = units % plan_.shuffle.units;
    if (there) std::memcpy(t.destination + (units - rest) * t.unit, image_, std::size_t(rest * t.unit));
    if (!there) write(t, next);
  }

  void transpose_in_caches(tile const& t, bytes const* next) {
    if (turn_in_place(t)) return;
    t.unit == kBlock ? copy_blocks(t, next) : transpose_image(t, next);
  }

  void transpose_image(tile const& t, bytes const* next) {
    for (offset b = 0; b < t.batch; ++b) turn(rows_of(t, b, 0, t.rows), t.unit);
    write(t, next);
  }

  /// Straight to where it belongs, where columns lie evenly and vectors end with them.
  bool turn_in_place(tile const& t) {
    if (t.columns == 1) return false;
    bool done = false;
    with_size(t.unit, [&]<class Unit>(Unit unit) {
      if constexpr (!std::is_same_v<Unit, offset>)
        for (offset b = 0; b < t.batch; ++b) {
          auto p = rows_of(t, b, 0, t.rows);
          p.image = t.destination + b * t.rows * t.columns * t.unit;
          p.pitch = plan_.column_step;
          done = transpose_cached<unit>(p, plan_.row_gap);
          if (done || unit == kBlock) continue;
          if (!stays_inside<unit>(p, plan_)) return;
          turn_elements<unit>(p, plan_);
          done = true;
        }
    });
    return done;
  }

  /// Into the image, unit by unit.
  void gather(tile const& t, bytes const* next) {
    with_size(t.unit, [p = rows_of(t, 0, 0, t.rows), columns = plan_.column_source.data()](auto unit) {
      for (offset j = 0; j < p.columns; ++j)
        for (offset i = 0; i < p.rows; ++i)
          copy_unit(p.image + j * p.pitch + i * unit, p.source + p.row_source[i] + columns[j], unit);
    });
    write(t, next);
  }

  part rows_of(tile const& t, offset b, offset first, offset count) const {
    return {.source = t.source + plan_.batch_source[std::size_t(b)],
            .row_source = plan_.row_source.data() + first,
            .rows = count,
            .columns = t.columns,
            .image = image_ + b * t.columns * pitch_,
            .pitch = pitch_,
            .source_end = source_end_,
            .stage = plan_.strategy == cpu_strategy::transpose_staged ? stage_ : nullptr};
  }

  void turn(part const& p, offset unit_bytes) {
    with_size(unit_bytes, [&](auto unit) {
      if constexpr (std::is_same_v<decltype(unit), offset>) {
        copy_units(p, unit);
      } else {
        p.columns > 1 ? turn_elements<unit>(p, plan_) : copy_rows(p.image, unit, p, unit);
      }
    });
  }

  /// From the image to where it belongs.
  void write(tile const& t, bytes const* next) {
    offset const run = t.rows * t.unit;
    prefetcher ahead(plan_, next);
    if (plan_.dense_image) return put(t.destination, image_, t.size(), ahead);
    // a tile that did not fill its first line would leave the next one to stream what lies before both
    bool const streams = plan_.streams && plan_.rows * plan_.unit >= kLine;
    for (offset j = 0; j < t.columns; ++j) {
      auto* const from = image_ + j * pitch_;
      auto* const to = t.destination + plan_.column_destination[j];
      streams ? stream_column(t, to, from, run) : void(std::memcpy(to, from, std::size_t(run)));
      ahead.ask(run);
    }
  }

  /// Only whole cache lines of a column are streamed; what remains of the last one is kept in front of the image's column, for
  /// the next tile.
  void stream_column(tile const& t, bytes* to, bytes* from, offset count) {
    offset const into_line = offset(reinterpret_cast<std::uintptr_t>(to) % kLine);
    offset const head = t.begins ? std::min(count, (kLine - into_line) % kLine) : -into_line;
    if (t.begins) std::memcpy(to, from, std::size_t(head));
    to += head, from += head, count -= head;
    offset const done = stream_lines(to, from, count), left = count - done;
    if (t.ends) {
      std::memcpy(to + done, from + done, std::size_t(left));
    } else if (left) {
      std::memmove(from - head - left, from + done, std::size_t(left));
    }
  }

  /// A run that no other tile continues.
  void put(bytes* to, bytes const* from, offset count, prefetcher& ahead) {
    if (!plan_.streams) return void(std::memcpy(to, from, std::size_t(count)));
    offset const head = std::min(count, offset(-reinterpret_cast<std::uintptr_t>(to) % kLine));
    std::memcpy(to, from, std::size_t(head));
    offset done = head;
    for (offset step; (step = std::min(kStep, (count - done) / kLine * kLine)) > 0; done += step) {
      stream_lines(to + done, from + done, step);
      ahead.ask(step);
    }
    std::memcpy(to + done, from + done, std::size_t(count - done));
  }

  cpu_plan const& plan_;
  tile_share const& share_;
  offset const pitch_;
  offset const alignment_;  ///< of columns
  bytes* const image_;
  bytes* const stage_;
  bytes const* const source_begin_;
  bytes const* const source_end_;
};

void move_tiles(cpu_plan const& plan, tile_share const& share) { mover(plan, share).run(); }
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
