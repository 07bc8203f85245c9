// tiles.cpp includes this file for each target, inside its namespace.

/// Changes the elements of each row, one cache line of changed elements at a time, and copies each element to its column.
inline void change_units(call const& c, tile const& t) {
  offset const line = kCacheLine / t.unit, source_unit = c.plan.change->source_unit;
  for (offset i = 0; i < t.rows; ++i)
    for (offset first = 0; first < t.columns; first += line) {
      bytes changed[kCacheLine];
      offset const end = std::min(first + line, t.columns);
      auto const* const from = t.source + c.tables.row_source[std::size_t(i)] + first * source_unit;
      c.changer->row(reinterpret_cast<std::byte const*>(from), as_bytes(changed), end - first);
      for (offset j = first; j < end; ++j)
        copy_unit(t.destination + c.tables.column_destination[std::size_t(j)] + i * t.unit, changed + (j - first) * t.unit,
                  t.unit);
    }
}
