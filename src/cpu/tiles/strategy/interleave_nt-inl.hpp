// tiles.cpp includes this file for each target, inside its namespace.

/// Receives interleaved elements in a few cache lines of memory and streams these lines.
struct streamed_lines {
  bytes *destination, *lines;
  HWY_INLINE bytes* room(offset) const { return lines; }
  HWY_INLINE void done(offset at, offset count) const {
    assert(count <= 4 * kCacheLine);
    stream_lines(destination + at, lines, count);
  }
};

/// Interleaves the rows from column `first` on, where a cache line of the destination begins, as far as they fill cache lines.
/// Returns the number of columns.
template <int Size>
offset interleave_lines(call const& c, panel const& p, offset first, bytes* to) {
  if constexpr (Size < kVectorBlock && kWholeLines) {
    offset const count = (p.columns - first) * Size / kCacheLine * kCacheLine / Size;
    if (c.plan.limits.byte_permutes && are_many_fields(p.rows, count, Size)) {
      auto whole = p;
      whole.source += first * Size, whole.columns = count;
      interleave_fields_nt(whole, Size, to + first * p.rows * Size);
      return count;
    }
    if (p.rows > 4) return 0;
    alignas(kCacheLine) bytes lines[4 * kCacheLine];
    if (count > 0)
      with_fields(p.rows, [&](auto fields) { interleave<Size, fields>(p, first, first + count, streamed_lines{to, lines}); });
    return count;
  }
  return 0;
}

/// Interleaves 2 to 4 rows and streams the result. The columns before the first whole cache line and after the last one are
/// copied element by element. If no cache line begins with a column, the tile goes by way of an image.
inline void interleave_nt(call const& c, tile const& t) {
  auto const p = rows_of(c, t, 0, 0, t.rows);
  offset const column = t.rows * t.unit, lines = kCacheLine / t.unit;
  offset first = 0;
  while (first < lines && address_of(t.destination + first * column) % kCacheLine) ++first;
  if (!kWholeLines || first == lines || first > t.columns) return transpose_image(c, t);
  auto const one_by_one = [&](offset begin, offset end) {
    for (offset j = begin; j < end; ++j)
      for (offset i = 0; i < t.rows; ++i)
        std::memcpy(t.destination + j * column + i * t.unit, p.source + p.row_source[i] + j * t.unit, std::size_t(t.unit));
  };
  offset done = 0;
  with_element(t.unit, [&](auto size) { done = interleave_lines<size>(c, p, first, t.destination); });
  one_by_one(0, first);
  one_by_one(first + done, t.columns);
}
