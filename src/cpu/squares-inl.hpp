// tiles.cpp includes this file for each target, inside its namespace.

/// The elements at which the squares of a transpose begin, along its rows or its columns. If there are `many` squares, they end
/// where vectors end in memory, so that no two squares touch one cache line. The first and the last square overlap their
/// neighbours.
struct square_starts {
  offset extent;    ///< elements of all squares together
  offset lanes;     ///< elements of one square
  offset head = 0;  ///< elements before the first square that begins on a vector's boundary

  /// `first` is the address of the first element. `step` is the distance in bytes from one line of elements to the next one; if
  /// it is not a multiple of a cache line, no start suits all lines.
  square_starts(offset count, bytes const* first, offset step, offset size, offset vector, offset many)
      : extent(count), lanes(vector / size) {
    if (extent >= many * lanes && step != 0 && step % kCacheLine == 0)
      head = offset(-address_of(first) % std::uintptr_t(vector)) / size;
    assert(extent >= lanes && head < lanes);
  }

  offset count() const { return (extent - head + lanes - 1) / lanes + (head > 0); }
  offset operator[](offset index) const { return std::clamp<offset>(head + (index - (head > 0)) * lanes, 0, extent - lanes); }
};

/// Prefetches a cache line of each of `count` rows of the source. It is inlined, because GCC 12 deletes calls that only prefetch.
HWY_INLINE void prefetch_rows(panel const& p, offset row, offset count, offset at) {
  for (offset k = row; k < row + count; ++k) hwy::Prefetch(p.source + p.row_source[k] + at);
}

/// Prefetches a cache line of each of `count` columns of the destination. It is inlined, because GCC 12 deletes calls that only
/// prefetch.
HWY_INLINE void prefetch_columns(panel const& p, offset column, offset count, offset at) {
  for (offset k = column; k < column + count; ++k) __builtin_prefetch(p.image + k * p.pitch + at, 1);
}

/// Calls visit(i, j) for squares i of some rows of squares and j of some columns of squares, column after column.
template <class Visit>
HWY_INLINE void for_group(offset first_row, offset end_row, offset first_column, offset end_column, Visit const& visit) {
  for (offset j = first_column; j < end_column; ++j)
    for (offset i = first_row; i < end_row; ++i) visit(i, j);
}

/// Calls visit(i, j, strip) for the squares (i, j) of every group of `height` x `width` squares, strip after strip. A strip has
/// `width` columns of squares, and `strip` is the first of them.
template <class Visit>
HWY_INLINE void for_strips(offset rows, offset columns, offset height, offset width, Visit const& visit) {
  for (offset strip = 0; strip < columns; strip += width)
    for (offset row = 0; row < rows; row += height)
      for_group(row, std::min(row + height, rows), strip, std::min(strip + width, columns),
                [&](offset i, offset j) HWY_ATTR { visit(i, j, strip); });
}

/// Transposes squares of vectors of whole cache lines. The caches hold both sides.
///
/// If rows (or columns) are a power of two apart, the lines of a square fall into one or two sets of the level 1 cache, which
/// cannot hold the lines of many squares. So squares begin at cache lines, each line is used completely at once, and two lines of
/// each row, a strip, are read before the next rows. Meanwhile the destination's lines of the next square are prefetched, because
/// no hardware prefetcher follows this order.
///
/// The hardware fetches lines in pairs of 128 bytes. If rows (or columns) are a multiple of 128 bytes apart, the lines of a
/// square are either all the first ones of their pairs or all the second ones: one square waits for all its lines and the next
/// square for none. Two measures distribute the waiting: half of the columns are prefetched one line further, and each square of
/// a strip prefetches a part of the strip's next rows.
template <int Size, class D>
void transpose_squares(D d, panel const& p, cpu_plan const& plan) {
  constexpr offset kLanes = kCacheLine / Size, kPair = 2 * kCacheLine, kStrip = 2;
  constexpr offset kPart = kLanes / kStrip;  // rows that each square of a strip prefetches
  constexpr offset kGroup = 8;               // squares one below the other
  constexpr offset kInLevel2 = 1 << 20;      // bytes of a result that is in the level 2 cache together with its source
  constexpr bool kManyLines = Size <= 4;     // a square of larger elements has few lines to wait for
  offset const many = plan.limits.aligned_squares;
  square_starts const rows(p.rows, p.image, p.pitch, Size, kCacheLine, many),
      columns(p.columns, p.source + p.row_source[0], plan.load.row_step, Size, kCacheLine, many);
  bool const one_set = p.pitch % kPage == 0;
  bool const rows_in_pairs = kManyLines && !one_set && plan.load.row_step % kPair == 0,
             columns_in_pairs = kManyLines && p.pitch % kPair == 0;
  // single bytes in the level 2 cache are transposed in less time than it takes to prefetch them
  bool const prefetches = Size > 1 || !columns_in_pairs || plan.bytes >= kInLevel2;
  auto const transpose = [&](offset row, offset column) HWY_ATTR {
    bytes const* from[kLanes];
    for (offset k = 0; k < kLanes; ++k) from[k] = p.source + p.row_source[row + k];
    transpose_square<Size>(d, from, column * Size, column, row * Size, into_image{p.image, p.pitch});
  };
  offset last_row = 0, last_column = 0;
  bool is_first = true;
  // if all columns share a set, the lines of a square are written before its neighbour needs that set
  offset const height = one_set ? kGroup : 1, width = one_set && kManyLines ? 1 : kStrip;
  for_strips(rows.count(), columns.count(), height, width, [&](offset i, offset j, offset strip) HWY_ATTR {
    offset const row = rows[i], column = columns[j];
    if (prefetches) {
      offset const at = row * Size, half = kLanes / 2;
      prefetch_columns(p, column, half, at);
      prefetch_columns(p, column + half, kLanes - half, columns_in_pairs ? at + kCacheLine : at);
      if (rows_in_pairs) prefetch_rows(p, rows[i + 1] + (j - strip) * kPart, kPart, columns[strip] * Size);
    }
    if (!std::exchange(is_first, false)) transpose(last_row, last_column);
    last_row = row, last_column = column;
  });
  transpose(last_row, last_column);
}

/// Transposes squares of vectors that are shorter than a cache line. The caches hold both sides.
///
/// A strip is one cache line wide. Its columns of the destination are written from their first to their last element, so that few
/// lines are written at a time, and each line of the source is used completely at once. A square is so small that prefetching its
/// lines would take longer than waiting for them.
template <int Size, class D>
void transpose_strips(D d, panel const& p, cpu_plan const& plan) {
  constexpr offset kBytes = offset(hn::MaxLanes(D())), kLanes = kBytes / Size, kStrip = kCacheLine / kBytes;
  offset const many = plan.limits.aligned_squares;
  square_starts const rows(p.rows, p.image, p.pitch, Size, kBytes, many),
      columns(p.columns, p.source + p.row_source[0], plan.load.row_step, Size, kBytes, many);
  for (offset strip = 0; strip < columns.count(); strip += kStrip)
    for (offset i = 0; i < rows.count(); ++i) {
      offset const row = rows[i], end = std::min(strip + kStrip, columns.count());
      bytes const* from[kLanes];
      for (offset k = 0; k < kLanes; ++k) from[k] = p.source + p.row_source[row + k];
      for (offset j = strip; j < end; ++j)
        transpose_square<Size>(d, from, columns[j] * Size, columns[j], row * Size, into_image{p.image, p.pitch});
    }
}

/// Transposes a panel by squares of the widest vectors. Returns false if rows or columns are shorter than a cache line.
template <int Size>
bool transpose_by_squares(panel const& p, cpu_plan const& plan) {
  if (std::min(p.rows, p.columns) * Size < kCacheLine) return false;
  const hn::CappedTag<bytes, kCacheLine> d;
  if constexpr (hn::MaxLanes(d) == kCacheLine)
    transpose_squares<Size>(d, p, plan);
  else
    transpose_strips<Size>(d, p, plan);
  return true;
}
