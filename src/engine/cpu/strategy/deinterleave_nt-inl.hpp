// tiles.cpp includes this file for each target, inside its namespace.

/// Stores a vector past the caches. The vector must lie within one cache line.
struct streamed {
  bytes* destination;
  offset const* columns;

  template <class D, class V>
  HWY_INLINE void operator()(D d, V v, offset column, offset into) const {
    hn::Stream(v, d, destination + columns[column] + into);
  }
};

/// Deinterleaves rows of 2 to 4 elements, which fill whole cache lines of every column. Returns false if vectors do not fill a
/// cache line.
template <int Size>
bool deinterleave_lines(panel const& p, bytes* to, offset const* columns) {
  if constexpr (Size < kVectorBlock && kWholeLines) {
    streamed const store{to, columns};
    with_fields(p.columns, [&](auto count) { deinterleave<Size, count>(p.source + p.row_source[0], p.rows, store, 0); });
    return true;
  }
  return false;
}

/// Deinterleaves the rows that fill whole cache lines of every column. The rows before and after them go by way of an image.
inline void deinterleave_nt(call const& c, tile const& t) {
  auto const address = address_of(t.destination);
  offset const line = kCacheLine / t.unit, head = std::min(t.rows, offset(-address % kCacheLine) / t.unit),
               whole = address % std::uintptr_t(t.unit) ? 0 : (t.rows - head) / line * line;
  bool const done = whole && with_element(t.unit, [&](auto size) {
                      return deinterleave_lines<size>(rows_of(c, t, 0, head, whole), t.destination + head * t.unit,
                                                      c.tables.column_destination.data());
                    });
  if (!done) return transpose_rows_by_image(c, t, 0, t.rows);
  transpose_rows_by_image(c, t, 0, head);
  transpose_rows_by_image(c, t, head + whole, t.rows);
}
