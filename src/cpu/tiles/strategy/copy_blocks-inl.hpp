// tiles.cpp includes this file for each target, inside its namespace.

/// Copies short units of whole blocks, which gain nothing from an image. As many columns are copied at once as fill a cache line
/// of the source.
inline void copy_blocks(call const& c, tile const& t) {
  with_constant<16, 32, 48, 64, 80, 96, 112>(t.unit, [&](auto unit) {
    constexpr offset kGroup = std::max<offset>(1, kCacheLine / unit);
    for (offset b = 0; b < t.batch; ++b) {
      auto const p = rows_of(c, t, b, 0, t.rows);
      auto const copy = [unit, p, columns = c.tables.column_destination.data(),
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
