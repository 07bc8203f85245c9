// tiles.cpp includes this file for each target, inside its namespace.

/// Copies units that are long enough to be runs of their own on both sides.
inline void copy_runs(call const& c, tile const& t) {
  prefetcher next(c, t);
  for (offset b = 0; b < t.batch; ++b)
    for (offset i = 0; i < t.rows; ++i)
      for (offset j = 0; j < t.columns; ++j)
        write_run(c, t.destination + b * t.rows * t.columns * t.unit + c.tables.column_destination[std::size_t(j)] + i * t.unit,
                  t.source + c.tables.batch_source[std::size_t(b)] + c.tables.row_source[std::size_t(i)] + j * t.unit, t.unit,
                  next);
}
