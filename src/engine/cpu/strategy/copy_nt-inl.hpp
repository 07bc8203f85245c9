// tiles.cpp includes this file for each target, inside its namespace.

/// Copies units past the caches by whole cache lines, at least two of every column at once, and prefetches the next rows
/// meanwhile. If lines of the destination begin within units, long units are copied as runs, and short units go by way of an
/// image.
inline void copy_nt(call const& c, tile const& t) {
  cpu_plan const& plan = c.plan;
  bool const are_lines =
      t.unit % kCacheLine == 0 && plan.store.alignment == kCacheLine && address_of(t.destination) % kCacheLine == 0;
  if (!are_lines) return t.unit >= cpu_plan::kLongRun ? copy_runs(c, t) : transpose_image(c, t);
  offset const group = std::max<offset>(1, 2 * kCacheLine / t.unit);
  for (offset first = 0; first < t.rows; first += group)
    for (offset j = 0; j < t.columns; ++j)
      for (offset i = first; i < std::min(first + group, t.rows); ++i) {
        auto const below =
            i + group < t.rows ? t.source + c.tables.row_source[i + group] : t.next + c.tables.row_source[i - first];
        for (offset at = 0; at < t.unit; at += kCacheLine) prefetch(below + j * t.unit + at);
        stream_lines(t.destination + c.tables.column_destination[j] + i * t.unit, t.source + c.tables.row_source[i] + j * t.unit,
                     t.unit);
      }
}
