// tiles.cpp includes this file for each target, inside its namespace.

/// Copies units of whole blocks, or of half a cache line or more, which gain nothing from an image. The columns that fill a cache
/// line of the source are copied together, or many of them if their units share lines.
inline void copy_blocks(call const& c, tile const& t) {
  constexpr offset kMany = 64;
  auto const move = [&](auto unit, auto group) HWY_ATTR {
    for (offset b = 0; b < t.batch; ++b) {
      auto const p = rows_of(c, t, b, 0, t.rows);
      auto const copy = [unit, p, columns = c.tables.column_destination.data(),
                         to = t.destination + b * t.rows * t.columns * unit](offset first, offset last) {
        for (offset i = 0; i < p.rows; ++i)
          for (offset j = first; j < last; ++j) copy_run(to + columns[j] + i * unit, p.source + p.row_source[i] + j * unit, unit);
      };
      offset first = 0;
      for (; first + group <= t.columns; first += group) copy(first, first + group);
      if (first < t.columns) copy(first, t.columns);
    }
  };
  auto const move_blocks = [&](auto unit)
                               HWY_ATTR { move(unit, std::integral_constant<offset, std::max<offset>(1, kCacheLine / unit)>()); };
  if (!with_constant<16, 32, 48, 64, 80, 96, 112, 128, 256>(t.unit, move_blocks)) move(t.unit, t.unit < kCacheLine ? kMany : 1);
}
