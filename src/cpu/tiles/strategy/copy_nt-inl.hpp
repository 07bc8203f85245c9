// tiles.cpp includes this file for each target, inside its namespace.

/// Streams the cache line that begins in the last `before` bytes of the previous unit of a column and ends in this unit. If both
/// units have `neighbours` in their rows, the bytes beside both parts may be read.
HWY_INLINE void stream_joint(bytes* line, bytes const* predecessor_end, bytes const* unit, offset before, bool neighbours) {
  if (!kWholeLines && neighbours) return stream_joined(line, predecessor_end - before, unit - before, before);
  alignas(kCacheLine) bytes joint[kCacheLine];
  std::memcpy(joint, predecessor_end - before, std::size_t(before));
  std::memcpy(joint + before, unit, std::size_t(kCacheLine - before));
  stream_lines(line, joint, kCacheLine);
}

/// Copies units past the caches by whole cache lines, at least two of every column at once, and prefetches the next rows
/// meanwhile. If lines of the destination begin within units, each of these lines is joined from two units. Units that do not
/// consist of whole lines are copied as runs.
inline void copy_nt(call const& c, tile const& t) {
  cpu_plan const& plan = c.plan;
  if (t.unit % kCacheLine != 0 || plan.store.alignment != kCacheLine) return copy_runs(c, t);
  offset const before = offset(address_of(t.destination) % kCacheLine), head = before ? kCacheLine - before : 0;
  offset const group = std::max<offset>(1, 2 * kCacheLine / t.unit);
  for (offset first = 0; first < t.rows; first += group)
    for (offset j = 0; j < t.columns; ++j)
      for (offset i = first; i < std::min(first + group, t.rows); ++i) {
        auto const below =
            i + group < t.rows ? t.source + c.tables.row_source[i + group] : t.next + c.tables.row_source[i - first];
        for (offset at = 0; at < t.unit; at += kCacheLine) prefetch(below + j * t.unit + at);
        auto* const to = t.destination + c.tables.column_destination[j] + i * t.unit;
        auto const* const from = t.source + c.tables.row_source[i] + j * t.unit;
        if (before && i > 0)
          stream_joint(to - before, t.source + c.tables.row_source[i - 1] + (j + 1) * t.unit, from, before,
                       0 < j && j + 1 < t.columns);
        else
          std::memcpy(to, from, std::size_t(head));
        stream_lines(to + head, from + head, t.unit - head);
        if (i == t.rows - 1) std::memcpy(to + t.unit - before, from + t.unit - before, std::size_t(before));
      }
}
