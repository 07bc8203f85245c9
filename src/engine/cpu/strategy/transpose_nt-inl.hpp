// tiles.cpp includes this file for each target, inside its namespace.

/// A panel whose elements are written to the destination by non-temporal stores.
struct streamed_panel {
  panel rows;
  bytes const* next;  ///< the source of the next panel, whose rows have the same offsets
  offset ahead;       ///< bytes ahead in a row that are prefetched; 0 if the rows below are prefetched
  offset head;        ///< elements before the first one at which vectors should begin
  bytes* to;
  offset const* columns;
  offset alignment;                ///< bytes to which all columns are aligned if the first one is aligned to a cache line
  bytes* kept;                     ///< by column: a cache line of memory
  bool begins, ends;               ///< true if no rows before (or after) these belong to the same columns
  element_changer const* changer;  ///< changes elements before they are transposed; null if bits are copied
  offset source_unit;              ///< bytes of an element in the source
};

/// Streams two cache lines of a column, which are vectors.
struct aligned_stores {
  bytes* to;
  offset const* columns;

  template <class D, class V>
  HWY_INLINE void operator()(D d, V first, V second, offset column) const {
    hn::Stream(first, d, to + columns[column]);
    hn::Stream(second, d, to + columns[column] + kCacheLine);
  }
};

/// The indices of the words of a vector, twice.
alignas(kCacheLine) constexpr std::uint32_t kWords[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
                                                        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/// Rotates the bytes of a vector, so that it begins with byte `count`. Unless `Any`, `count` is a multiple of 4.
template <bool Any, class D, class V>
HWY_INLINE V rotated(D d, V v, std::size_t count) {
  const hn::Repartition<std::uint32_t, D> words;
  auto const from = [&](std::size_t word) HWY_ATTR {
    return hn::TableLookupLanes(hn::BitCast(words, v), hn::IndicesFromVec(words, hn::LoadU(words, kWords + word)));
  };
  if constexpr (!Any) return hn::BitCast(d, from(count / 4));
  int const bits = int(count % 4 * 8);
  auto const low = hn::ShiftRightSame(from(count / 4), bits), high = hn::ShiftLeftSame(from(count / 4 + 1), 32 - bits);
  return hn::BitCast(d, hn::Or(low, high));
}

/// Streams two vectors of a column, within which cache lines begin. The bytes of the second vector that fill no line are kept for
/// the next two vectors.
template <bool Any>
struct unaligned_stores {
  bytes* to;
  offset const* columns;
  bytes* kept;        ///< by column: a cache line of memory
  bool begins, ends;  ///< true if nothing was kept before; true if nothing needs to be kept

  template <class D, class V>
  HWY_INLINE void operator()(D d, V first, V second, offset column) const {
    auto* const at = to + columns[column];
    auto* const rest = kept + column * kCacheLine;
    auto const head = std::size_t(-address_of(at) % kCacheLine);
    auto* const line = at + head;
    auto const one = rotated<Any>(d, first, head), two = rotated<Any>(d, second, head);
    auto const before = hn::FirstN(d, kCacheLine - head);
    begins ? hn::BlendedStore(one, hn::Not(before), d, line - kCacheLine)
           : hn::Stream(hn::IfThenElse(before, hn::Load(d, rest), one), d, line - kCacheLine);
    hn::Stream(hn::IfThenElse(before, one, two), d, line);
    ends ? hn::BlendedStore(two, before, d, line + kCacheLine) : hn::Store(two, d, rest);
  }
};

/// A cache line of each of `Count` rows, whose elements were changed; empty if bits are copied.
template <bool Changes, offset Count>
struct changed_lines {
  alignas(kCacheLine) mutable bytes lines[Count * kCacheLine];
  bytes const* rows[Count];

  changed_lines() {
    for (offset k = 0; k < Count; ++k) rows[k] = lines + k * kCacheLine;
  }
};
template <offset Count>
struct changed_lines<false, Count> {
  static constexpr bytes const** rows = nullptr;
};

/// Prefetches `width` bytes of each of `count` rows. It is inlined, because GCC 12 deletes calls that only prefetch.
HWY_INLINE void prefetch_ahead(bytes const* const* rows, offset count, offset at, offset width) {
  for (offset k = 0; k < count; ++k)
    for (offset line = 0; line < width; line += kCacheLine) prefetch(rows[k] + at + line);
}

/// Transposes the rows that make two cache lines of every column, and prefetches the rows that come next.
template <int Size, bool Changes, class D, class Store>
void transpose_two_lines(D d, streamed_panel const& t, offset first_row, Store store) {
  constexpr offset kLanes = kCacheLine / Size, kRows = 2 * kLanes;
  panel const& p = t.rows;
  bytes const *rows[kRows], *prefetched[kRows];
  for (offset k = 0; k < kRows; ++k) {
    auto const row = first_row + k;
    rows[k] = p.source + p.row_source[row];
    prefetched[k] = t.ahead                ? rows[k] + t.ahead
                    : row + kRows < p.rows ? p.source + p.row_source[row + kRows]
                                           : t.next + p.row_source[k];
  }
  store.to += first_row * Size;
  changed_lines<Changes, kRows> const changed;
  auto const* const from = Changes ? changed.rows : rows;
  offset const unit = Changes ? t.source_unit : Size, width = kLanes * unit;
  for (offset at = 0, end = t.head > 0 ? t.head : kLanes; at < p.columns; at = end, end += kLanes) {
    offset const column = std::min(at, p.columns - kLanes), into_row = Changes ? 0 : column * Size;
    auto const change = [&](offset first, offset count) HWY_ATTR {
      if constexpr (Changes)
        t.changer->lines(as_bytes(rows + first), column * unit, count, as_bytes(changed.lines + first * kCacheLine));
    };
    auto const write = [&](auto one, auto two, offset j) HWY_ATTR {
      if (j >= at && j < end) store(d, one, two, j);
    };
    if constexpr (Size <= 2) {  // two squares have more vectors than there are registers
      constexpr offset kGroup = kVectorBlock / Size, kBlocks = kCacheLine / kVectorBlock;
      alignas(kCacheLine) bytes stage[kRows * kCacheLine];
      for (offset k = 0; k < kRows; k += kGroup) {
        prefetch_ahead(prefetched + k, kGroup, column * unit, width);
        change(k, kGroup);
        stage_rows<Size>(d, from + k, into_row, stage + k * kCacheLine);
      }
      for (offset k = 0; k < kGroup; ++k) {
        hn::Vec<D> one[kBlocks], two[kBlocks];
        for (offset b = 0; b < kBlocks; ++b) {
          one[b] = hn::Load(d, stage + (b * kGroup + k) * kCacheLine);
          two[b] = hn::Load(d, stage + ((kBlocks + b) * kGroup + k) * kCacheLine);
        }
        transpose_blocks(d, one), transpose_blocks(d, two);
        for (offset b = 0; b < kBlocks; ++b) write(one[b], two[b], column + b * kGroup + k);
      }
    } else {
      hn::Vec<D> one[kLanes];
      prefetch_ahead(prefetched, kLanes, column * unit, width);
      change(0, kLanes);
      transpose_square<Size>(d, from, into_row, 0, 0, [&](D, auto v, offset j, offset) HWY_ATTR { one[j] = v; });
      prefetch_ahead(prefetched + kLanes, kLanes, column * unit, width);
      change(kLanes, kLanes);
      transpose_square<Size>(d, from + kLanes, into_row, 0, 0,
                             [&](D, auto v, offset j, offset) HWY_ATTR { write(one[j], v, column + j); });
    }
  }
}

/// Transposes a panel. If the rows after the last two whole lines are too few, rows before them are transposed a second time.
/// Returns false if the panel is smaller than a square, or if vectors do not fill a cache line.
template <int Size, bool Changes>
bool transpose_lines(streamed_panel const& t) {
  if constexpr (kWholeLines) {
    const hn::CappedTag<bytes, kCacheLine> d;
    constexpr offset kRows = 2 * kCacheLine / Size;
    offset const rows = t.rows.rows;
    if (rows < kRows || t.rows.columns * Size < kCacheLine) return false;
    auto const are_at = [&](offset step) { return t.alignment % step == 0 && address_of(t.to) % std::uintptr_t(step) == 0; };
    bool const is_aligned = are_at(kCacheLine);
    auto const shift = [&](offset row, bool begins, bool ends) {
      auto const run = [&]<bool Any>() {
        transpose_two_lines<Size, Changes>(
            d, t, row, unaligned_stores<Any>{.to = t.to, .columns = t.columns, .kept = t.kept, .begins = begins, .ends = ends});
      };
      if constexpr (Size >= 4)
        if (are_at(4)) return run.template operator()<false>();
      run.template operator()<true>();
    };
    offset row = 0;
    for (; row + kRows <= rows; row += kRows)
      is_aligned ? transpose_two_lines<Size, Changes>(d, t, row, aligned_stores{.to = t.to, .columns = t.columns})
                 : shift(row, row == 0 && t.begins, row + 2 * kRows > rows && t.ends);
    if (row < rows) shift(rows - kRows, true, true);
    return true;
  }
  return false;
}

/// The bytes of a unit in the source.
inline offset source_unit_of(call const& c, tile const& t) { return c.plan.change ? c.plan.change->source_unit : t.unit; }

/// The elements of a row before its first whole cache line, if they are as many in all rows and rows share few sets of the level
/// 1 cache. A line that two vectors touch would be evicted from that cache before the second vector. 0 if there are few vectors.
inline offset head_of(call const& c, tile const& t) {
  constexpr offset kMany = 16 * kCacheLine;  // bytes
  offset const unit = source_unit_of(c, t);
  auto const before = offset(-address_of(t.source) % std::uintptr_t(kCacheLine));
  bool const few_sets = c.plan.load.row_step != 0 && c.plan.load.row_step % (kPage / 2) == 0;
  return few_sets && before % unit == 0 && t.columns * unit >= kMany ? before / unit % (kCacheLine / t.unit) : 0;
}

/// Transposes two cache lines of every column at a time. Tiles continue the columns of the tile before.
inline void transpose_nt(call const& c, tile const& t) {
  cpu_plan const& plan = c.plan;
  offset const two = 2 * kCacheLine;
  bool const continues =
      plan.tile.rows * t.unit % two == 0 && (plan.tile.cut_rows.loop < 0 || plan.tile.cut_rows.last * t.unit >= two);
  bool const done = with_element(t.unit, [&](auto size) {
    auto const transpose = c.changer ? transpose_lines<size, true> : transpose_lines<size, false>;
    return transpose({.rows = rows_of(c, t, 0, 0, t.rows),
                      .next = t.next,
                      .ahead = plan.load.prefetch_distance,
                      .head = head_of(c, t),
                      .to = t.destination,
                      .columns = c.tables.column_destination.data(),
                      .alignment = plan.store.alignment,
                      .kept = c.stage,
                      .begins = t.begins || !continues,
                      .ends = t.ends || !continues,
                      .changer = c.changer,
                      .source_unit = source_unit_of(c, t)});
  });
  if (!done) c.changer ? change_units(c, t) : transpose_rows_by_image(c, t, 0, t.rows);
}
