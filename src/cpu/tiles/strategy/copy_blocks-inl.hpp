// tiles.cpp includes this file for each target, inside its namespace.

/// Copies units of a block or more, which gain nothing from an image. The columns that fill a cache line of the source are copied
/// together.
inline void copy_blocks(call const& c, tile const& t) {
  auto const move = [&](auto unit) HWY_ATTR {
    offset const group = std::max<offset>(1, kCacheLine / unit);
    for (offset b = 0; b < t.batch; ++b) {
      auto const p = rows_of(c, t, b, 0, t.rows);
      auto const copy = [unit, p, columns = c.tables.column_destination.data(),
                         to = t.destination + b * t.rows * t.columns * unit](offset first, offset last) {
        for (offset i = 0; i < p.rows; ++i)
          for (offset j = first; j < last; ++j) copy_run(to + columns[j] + i * unit, p.source + p.row_source[i] + j * unit, unit);
      };
      offset first = 0;
      for (; first + group <= t.columns; first += group) copy(first, first + group);
      for (; first < t.columns; ++first) copy(first, first + 1);
    }
  };
  if (!with_constant<16, 32, 48, 64, 80, 96, 112, 128, 256>(t.unit, move)) move(t.unit);
}
