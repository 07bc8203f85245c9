// tiles.cpp and change_panel.cpp include this file for each target, inside its namespace.

/// Writes a cache line by non-temporal stores: its first `before` bytes are those at `first`, the others those that are as far
/// into the 64 bytes at `second`. All 64 bytes may be read at both.
HWY_INLINE void stream_joined(bytes* line, bytes const* first, bytes const* second, offset before) {
  const hn::CappedTag<bytes, kCacheLine> d;
  offset const step = offset(hn::Lanes(d));
  for (offset at = 0; at < kCacheLine; at += step) {
    auto const is_first = hn::FirstN(d, std::size_t(std::clamp<offset>(before - at, 0, step)));
    hn::Stream(hn::IfThenElse(is_first, hn::LoadU(d, first + at), hn::LoadU(d, second + at)), d, line + at);
  }
}

/// Stores a whole cache line past the caches, and a part of a line to the caches.
struct streamed_line {
  static constexpr bool kReads = false;

  template <class D, class V>
  HWY_INLINE void store(D d, V v, bytes* to) const {
    hn::Stream(v, d, to);
  }
  template <class D, class V, class M>
  HWY_INLINE void store_part(D d, V v, M mask, bytes* to) const {
    hn::BlendedStore(v, mask, d, to);
  }
};

/// Stores two cache lines of a column, which are vectors.
template <class Line>
struct aligned_stores {
  bytes* to;
  offset const* columns;
  Line line;

  template <class D, class V>
  HWY_INLINE void operator()(D d, offset column, V first, V second) const {
    line.store(d, first, to + columns[column]);
    line.store(d, second, to + columns[column] + kCacheLine);
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

/// Stores two vectors of a column in which cache lines begin within a vector. The last bytes of the second vector do not fill a
/// line, and are kept for the next two vectors.
template <bool Any, class Line>
struct unaligned_stores {
  bytes* to;
  offset const* columns;
  Line line;
  bytes* kept;        ///< by column: a cache line of memory
  bool begins, ends;  ///< true if nothing was kept before; true if nothing needs to be kept

  template <class D, class V>
  HWY_INLINE void operator()(D d, offset column, V first, V second) const {
    auto* const at = to + columns[column];
    auto* const rest = kept + column * kCacheLine;
    auto const head = std::size_t(-address_of(at) % kCacheLine);
    auto* const next = at + head;
    auto const one = rotated<Any>(d, first, head), two = rotated<Any>(d, second, head);
    auto const before = hn::FirstN(d, kCacheLine - head);
    begins ? line.store_part(d, one, hn::Not(before), next - kCacheLine)
           : line.store(d, hn::IfThenElse(before, hn::Load(d, rest), one), next - kCacheLine);
    line.store(d, hn::IfThenElse(before, one, two), next);
    ends ? line.store_part(d, two, before, next + kCacheLine) : hn::Store(two, d, rest);
  }
};

/// Stores two cache lines of a column from a stage, if the group of rows before and the one after have the column, too. Lines may
/// begin anywhere in the column, as for `unaligned_stores`.
struct staged_stores {
  static constexpr offset kBefore = kCacheLine, kPitch = 3 * kCacheLine;  ///< of a column in the stage: room for what was kept
  bytes* to;
  offset const* columns;
  bytes* kept;  ///< by column: a cache line with the last bytes of the group before; null if all columns begin at cache lines

  template <class D>
  HWY_INLINE void operator()(D, offset column, bytes* lines) const {
    auto* const at = to + columns[column];
    if (!kept) return void(stream_lines(at, lines, 2 * kCacheLine));
    auto* const rest = kept + column * kCacheLine;
    auto const head = offset(-address_of(at) % kCacheLine);
    std::memcpy(lines - kCacheLine, rest, kCacheLine);
    stream_lines(at + head - kCacheLine, lines + head - kCacheLine, 2 * kCacheLine);
    std::memcpy(rest, lines + kCacheLine, kCacheLine);
  }
};

/// Stores two cache lines of a column from a stage where the column begins or ends. A line that the next column continues is
/// filled from that column. Of rows that the group before has, too, only the lines are stored that it did not fill. Both need
/// `Shares`.
template <bool Shares>
struct staged_ends : staged_stores {
  bytes* heads;          ///< by column: a cache line with its first bytes; null unless some columns are contiguous
  offset count, length;  ///< columns of the panel; bytes of a column
  offset repeated;       ///< bytes of a column that are in the group before, too
  bool is_aligned;       ///< all columns begin at cache lines, so that nothing is kept
  bool begins, ends;     ///< true if nothing was kept before; true if nothing needs to be kept

  /// True if the head of this column fills the line in which the column before it ends.
  HWY_INLINE bool joins(offset column) const {
    return Shares && heads && column > 0 && column < count && columns[column] - columns[column - 1] == length;
  }
  /// True if the group before has not stored this line. `at` is the column's first byte in this group.
  HWY_INLINE bool needs(bytes const* line, bytes const* at) const {
    if (!Shares || repeated == 0) return true;
    auto const* const end_before = at + repeated;
    return line >= end_before + offset(-address_of(end_before) % kCacheLine) - (is_aligned ? 0 : kCacheLine);
  }

  template <class D>
  HWY_INLINE void operator()(D, offset column, bytes* lines) const {
    auto* const at = to + columns[column];
    auto* const rest = kept + column * kCacheLine;
    auto const head = offset(-address_of(at) % kCacheLine), done = head + kCacheLine;
    if (!begins) {
      if (needs(at + head - kCacheLine, at)) {
        std::memcpy(lines - kCacheLine, rest - repeated, kCacheLine);
        stream_lines(at + head - kCacheLine, lines + head - kCacheLine, kCacheLine);
      }
    } else if (joins(column)) {
      std::memcpy(heads + column * kCacheLine, lines, kCacheLine);
    } else {
      std::memcpy(at, lines, std::size_t(head));
    }
    if (needs(at + head, at)) stream_lines(at + head, lines + head, kCacheLine);
    if (!ends) return void(std::memcpy(rest, lines + kCacheLine, kCacheLine));
    bool const is_joined = joins(column + 1);
    if (is_joined) std::memcpy(lines + 2 * kCacheLine, heads + (column + 1) * kCacheLine, kCacheLine);
    is_joined || head == 0 ? void(stream_lines(at + done, lines + done, kCacheLine))
                           : void(std::memcpy(at + done, lines + done, std::size_t(2 * kCacheLine - done)));
  }
};

/// Prefetches `width` bytes of each of `count` rows. It is inlined, because GCC 12 deletes calls that only prefetch.
HWY_INLINE void prefetch_ahead(bytes const* const* rows, offset count, offset at, offset width) {
  for (offset k = 0; k < count; ++k)
    for (offset line = 0; line < width; line += kCacheLine) prefetch(rows[k] + at + line);
}

/// Prefetches the lines of the destination that a `Line` reads, in columns from `first` to `end`.
template <class Line>
HWY_INLINE void prefetch_destination(bytes const* to, offset const* columns, offset first, offset end) {
  if constexpr (Line::kReads)
    for (offset j = first; j < end; ++j) prefetch(to + columns[j]), prefetch(to + columns[j] + kCacheLine);
}

/// Rows whose elements are transposed as they are.
template <int Size, offset Count>
struct plain_rows {
  static constexpr offset kCount = Count;
  bytes const* rows[Count];

  explicit plain_rows(streamed_panel const&) {}
  offset unit() const { return Size; }
  HWY_INLINE void change(offset, offset, offset) const {}
  /// The elements from `into` on of a cache line that begins at `column`.
  template <class D>
  HWY_INLINE hn::Vec<D> load(D d, offset row, offset column, offset into = 0) const {
    return hn::LoadU(d, rows[row] + (column + into) * Size);
  }
};

/// Transposes rows that make two cache lines of every column, and prefetches the rows that come next. A `Way` has the number of
/// these rows and the functions that load and store them, by columns of one or two vectors. Vectors that are shorter than a cache
/// line are transposed to a stage, from which they are stored.
template <class Way, class D, class Stores>
void transpose_two_lines(D d, streamed_panel const& t, offset first_row, Stores stores) {
  constexpr int kSize = Way::kSize;
  constexpr offset kLanes = kCacheLine / kSize, kRows = Way::rows::kCount, kVectors = kRows / kLanes;
  panel const& p = t.rows;
  typename Way::rows rows(t);
  bytes const* prefetched[kRows];
  for (offset k = 0; k < kRows; ++k) {
    auto const row = first_row + k;
    rows.rows[k] = p.source + p.row_source[row];
    prefetched[k] = t.ahead                ? rows.rows[k] + t.ahead
                    : row + kRows < p.rows ? p.source + p.row_source[row + kRows]
                                           : t.next + p.row_source[k];
  }
  auto const* const to = t.to + first_row * Way::kUnit;
  offset const width = kLanes * rows.unit(), first_end = t.head % kLanes ? t.head % kLanes : kLanes;
  prefetch_destination<typename Way::line>(to, t.columns, 0, std::min(first_end, p.columns));
  for (offset at = 0, end = first_end; at < p.columns; at = end, end += kLanes) {
    offset const column = std::min(at, p.columns - kLanes);
    auto const read = [&](offset first, offset count) HWY_ATTR {
      prefetch_ahead(prefetched + first, count, column * rows.unit(), width);
      rows.change(first, count, column);
    };
    auto const load_from = [&](offset first) HWY_ATTR {
      return [&rows, d, first, column](int k) HWY_ATTR { return rows.load(d, first + k, column); };
    };
    auto const write = [&](offset j, auto... vectors) HWY_ATTR {
      if (j >= at && j < end) stores(d, j, vectors...);
    };
    prefetch_destination<typename Way::line>(to, t.columns, end, std::min(end + kLanes, p.columns));
    if constexpr (!kWholeLines) {
      constexpr offset kSquare = hn::MaxLanes(D()) / kSize;
      alignas(kCacheLine) bytes stage[kLanes * Stores::kPitch + kCacheLine];
      for (offset k = 0; k < kRows; k += kSquare) {
        read(k, kSquare);
        for (offset c = 0; c < kLanes; c += kSquare)
          transpose_square<kSize>(
              d, [&](int row) HWY_ATTR { return rows.load(d, k + row, column, c); }, c, k * kSize,
              into_image{stage + Stores::kBefore, Stores::kPitch});
      }
      for (offset j = 0; j < kLanes; ++j) write(column + j, stage + j * Stores::kPitch + Stores::kBefore);
    } else if constexpr (kSize <= 2) {  // two squares have more vectors than there are registers
      constexpr offset kGroup = kVectorBlock / kSize, kBlocks = kCacheLine / kVectorBlock;
      alignas(kCacheLine) bytes stage[kRows * kCacheLine];
      for (offset k = 0; k < kRows; k += kGroup) {
        read(k, kGroup);
        stage_rows<kSize>(d, load_from(k), stage + k * kCacheLine);
      }
      for (offset k = 0; k < kGroup; ++k) {
        hn::Vec<D> all[kVectors][kBlocks];
        for (offset v = 0; v < kVectors; ++v) {
          for (offset b = 0; b < kBlocks; ++b) all[v][b] = hn::Load(d, stage + ((v * kBlocks + b) * kGroup + k) * kCacheLine);
          transpose_blocks(d, all[v]);
        }
        for (offset b = 0; b < kBlocks; ++b) {
          if constexpr (kVectors == 1)
            write(column + b * kGroup + k, all[0][b]);
          else
            write(column + b * kGroup + k, all[0][b], all[1][b]);
        }
      }
    } else if constexpr (kVectors == 1) {
      read(0, kLanes);
      transpose_square<kSize>(d, load_from(0), column, 0, [&](D, auto v, offset j, offset) HWY_ATTR { write(j, v); });
    } else {
      hn::Vec<D> one[kLanes];
      read(0, kLanes);
      transpose_square<kSize>(d, load_from(0), 0, 0, [&](D, auto v, offset j, offset) HWY_ATTR { one[j] = v; });
      read(kLanes, kLanes);
      transpose_square<kSize>(d, load_from(kLanes), 0, 0,
                              [&](D, auto v, offset j, offset) HWY_ATTR { write(column + j, one[j], v); });
    }
  }
}

/// Transposes a panel in one of the ways. Returns the number of rows that were transposed: 0 if the panel is smaller than a
/// square. If too few rows remain after the last two whole lines, rows before them are transposed a second time; not if the
/// destination is read.
template <class Way>
offset transpose_lines(streamed_panel const& t) {
  const hn::CappedTag<bytes, kCacheLine> d;
  using line = typename Way::line;
  constexpr offset kRows = Way::rows::kCount;
  static_assert(kRows * Way::kUnit == 2 * kCacheLine);
  offset const rows = t.rows.rows;
  auto const are_at = [&](offset step) { return t.alignment % step == 0 && address_of(t.to) % std::uintptr_t(step) == 0; };
  if (rows < kRows || t.rows.columns * Way::kSize < kCacheLine || !are_at(Way::kAlignment)) return 0;
  bool const is_aligned = are_at(kCacheLine);
  auto const transpose = [&](offset row, auto const& stores)
                             HWY_ATTR { transpose_two_lines<Way>(d, t, row, Way::stores(t, stores)); };
  offset const last = rows / kRows * kRows;  // the end of the rows that are transposed once
  bool const repeats = last < rows && !line::kReads;
  bool const joins = t.heads && !is_aligned && !line::kReads && rows > kRows;
  assert(!repeats || t.ends);
  auto const shift = [&](offset row, offset repeated, bool begins, bool ends) HWY_ATTR {
    auto* const to = t.to + row * Way::kUnit;
    if constexpr (!kWholeLines) {
      auto const run = [&]<bool Shares>() HWY_ATTR {
        transpose(row, staged_ends<Shares>{{.to = to, .columns = t.columns, .kept = t.kept},
                                           joins ? t.heads : nullptr,
                                           t.rows.columns,
                                           rows * Way::kUnit,
                                           repeated * Way::kUnit,
                                           is_aligned,
                                           begins,
                                           ends});
      };
      joins || repeated > 0 ? run.template operator()<true>() : run.template operator()<false>();
    } else {
      auto const run = [&]<bool Any>() HWY_ATTR {
        transpose(row,
                  unaligned_stores<Any, line>{
                      .to = to, .columns = t.columns, .line = Way::line_of(t), .kept = t.kept, .begins = begins, .ends = ends});
      };
      if constexpr (Way::kUnit >= 4)
        if (are_at(4)) return run.template operator()<false>();
      if constexpr (Way::kAlignment < 4) run.template operator()<true>();
    }
  };
  auto const store_middle = [&](offset row) HWY_ATTR {
    auto* const to = t.to + row * Way::kUnit;
    if constexpr (kWholeLines)
      transpose(row, aligned_stores<line>{.to = to, .columns = t.columns, .line = Way::line_of(t)});
    else
      transpose(row, staged_stores{.to = to, .columns = t.columns, .kept = is_aligned ? nullptr : t.kept});
  };
  for (offset row = 0; row < last; row += kRows) {
    bool const begins = row == 0 && t.begins, ends = row + kRows == last && t.ends && (kWholeLines || !repeats);
    is_aligned || (!kWholeLines && !begins && !ends) ? store_middle(row) : shift(row, 0, begins, ends);
  }
  if (!repeats) return last;
  // vectors of whole lines store all lines of these rows a second time
  shift(rows - kRows, last - (rows - kRows), kWholeLines, true);
  return rows;
}

/// Copies the bits of elements.
template <int Size>
struct copied {
  static constexpr int kSize = Size;       ///< bytes of the units that are transposed
  static constexpr offset kUnit = Size;    ///< bytes of a unit in the destination
  static constexpr offset kAlignment = 1;  ///< bytes to which columns must be aligned
  using rows = plain_rows<Size, 2 * kCacheLine / Size>;
  using line = streamed_line;

  static line line_of(streamed_panel const&) { return {}; }
  template <class Stores>
  static Stores const& stores(streamed_panel const&, Stores const& stores) {
    return stores;
  }
};
