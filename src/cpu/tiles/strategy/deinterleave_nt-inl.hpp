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
  if (!are_fields<Size>(p.columns, p.rows)) return false;
  if constexpr (Size < kVectorBlock && kWholeLines) {
    streamed const store{to, columns};
    with_fields(p.columns, [&](auto count) { deinterleave<Size, count>(p.source + p.row_source[0], p.rows, store, 0); });
    return true;
  }
  return false;
}

/// Deinterleaves 5 to 16 columns. Returns the number of rows that were transposed.
inline offset deinterleave_many(call const& c, tile const& t) {
  offset const lanes = kCacheLine / t.unit, whole = t.rows / lanes * lanes;
  if (!c.plan.limits.byte_permutes || !are_many_fields(t.columns, whole, t.unit)) return 0;
  deinterleave_fields_nt(rows_of(c, t, 0, 0, whole), t.unit, t.destination, c.tables.column_destination.data());
  return whole;
}

/// Deinterleaves the rows that fill whole cache lines of every column. The rows before and after them go by way of an image.
inline void deinterleave_nt(call const& c, tile const& t) {
  if (offset const rows = deinterleave_many(c, t)) return transpose_rows_by_image(c, t, rows, t.rows);
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
