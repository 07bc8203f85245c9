// tiles.cpp includes this file for each target, inside its namespace.

/// Copies the units of columns that lie apart one by one into the image. Columns that share a cache line are copied together, row
/// by row, so that each line is read once, even if the lines of one column evict each other from the cache.
inline void copy_columns(call const& c, tile const& t) {
  constexpr offset kAhead = 8;  // rows
  with_size(t.unit, [p = rows_of(c, t, 0, 0, t.rows), columns = c.tables.column_source.data()](auto unit) {
    for (offset first = 0, end; first < p.columns; first = end) {
      for (end = first + 1; end < p.columns && columns[end] - columns[first] < kCacheLine;) ++end;
      bool const is_shared = end - first > 1;
      for (offset i = 0; i < p.rows; ++i) {
        if (is_shared) prefetch(p.source + p.row_source[std::min(i + kAhead, p.rows - 1)] + columns[first]);
        for (offset j = first; j < end; ++j)
          copy_unit(p.image + j * p.pitch + i * unit, p.source + p.row_source[i] + columns[j], unit);
      }
    }
  });
}

/// Transposes groups of columns that follow each other into the image, and writes the image. The groups lie apart in the source,
/// because both sides share modes or because columns have gaps.
inline void gather(call const& c, tile const& t) {
  auto const group = c.plan.load.adjacent;
  if (group == 1) {
    copy_columns(c, t);
  } else {
    auto p = rows_of(c, t, 0, 0, t.rows);
    for (offset first = 0; first < t.columns; first += group) {
      p.source = t.source + c.tables.column_source[std::size_t(first)];
      p.image = c.image + first * c.pitch;
      p.columns = std::min(group, t.columns - first);
      transpose_panel(c, p, t.unit);
    }
  }
  write_image(c, t);
}
