// tiles.cpp includes this file for each target, inside its namespace.

/// The elements at which the squares of a transpose begin, along its rows or its columns. If there are many squares, they end
/// where vectors end in memory, so that no two squares touch one cache line. The first and the last square overlap their
/// neighbours.
struct square_starts {
  offset extent;    ///< elements of all squares together
  offset lanes;     ///< elements of one square
  offset head = 0;  ///< elements before the first square that begins on a vector's boundary

  /// `first` is the address of the first element. `step` is the distance in bytes from one line of elements to the next one; if
  /// it is not a multiple of a cache line, no start suits all lines.
  square_starts(offset count, bytes const* first, offset step, offset size, offset vector) : extent(count), lanes(vector / size) {
    constexpr offset kMany = 8;
    if (extent >= kMany * lanes && step != 0 && step % kLine == 0)
      head = offset(-address_of(first) % std::uintptr_t(vector)) / size;
  }

  offset count() const { return (extent - head + lanes - 1) / lanes + (head > 0); }
  offset operator[](offset index) const { return std::clamp<offset>(head + (index - (head > 0)) * lanes, 0, extent - lanes); }
};

/// Transposes squares of vectors. The caches hold both sides.
///
/// Where rows (or columns) lie a power of two apart, the lines of a square meet in one or two sets of the level 1 cache, which
/// cannot hold the lines of many squares. So squares begin where lines begin, each line is used up at once, and two lines of each
/// row are read before the next rows. Meanwhile the destination's lines of the next square are prefetched, because no hardware
/// prefetcher follows this order. Single bytes have too many such lines if columns lie a multiple of two lines apart.
template <int Size, class D>
void transpose_squares(D d, panel const& p, offset row_step) {
  constexpr offset kBytes = offset(hn::MaxLanes(D())), kLanes = kBytes / Size, kStrip = 2 * kLine / kBytes;
  square_starts const rows(p.rows, p.image, p.pitch, Size, kBytes),
      columns(p.columns, p.source + p.row_source[0], row_step, Size, kBytes);
  struct square {
    offset row, column;
  };
  bool const fetches = Size > 1 || p.pitch % (2 * kLine);
  auto const fetch = [&](square at) HWY_ATTR {
    for (offset k = 0; k < kLanes; ++k) __builtin_prefetch(p.image + (at.column + k) * p.pitch + at.row * Size, 1);
  };
  auto const transpose = [&](square at) HWY_ATTR {
    bytes const* from[kLanes];
    for (offset k = 0; k < kLanes; ++k) from[k] = p.source + p.row_source[at.row + k];
    transpose_square<Size>(d, from, at.column * Size, at.column, at.row * Size, into_image{p.image, p.pitch});
  };
  square last{0, 0};
  bool is_first = true;
  for (offset strip = 0; strip < columns.count(); strip += kStrip)
    for (offset i = 0; i < rows.count(); ++i)
      for (offset j = strip; j < std::min(strip + kStrip, columns.count()); ++j) {
        square const next{rows[i], columns[j]};
        if (fetches) fetch(next);
        if (!std::exchange(is_first, false)) transpose(last);
        last = next;
      }
  transpose(last);
}

/// Transposes a panel by squares of the widest vectors. Returns false if rows or columns are shorter than a cache line.
template <int Size>
bool transpose_by_squares(panel const& p, offset row_step) {
  if (std::min(p.rows, p.columns) * Size < kLine) return false;
  transpose_squares<Size>(hn::CappedTag<bytes, kLine>(), p, row_step);
  return true;
}
