// tiles.cpp includes this file for each target, inside its namespace.

/// Interleaves or deinterleaves more than 4 fields into the image. Returns false if the panel does not have this many fields.
inline bool transpose_fields(call const& c, panel const& p, offset unit) {
  if (!c.plan.limits.byte_permutes) return false;
  if (c.plan.load.dense && are_many_fields(p.columns, p.rows, unit)) return deinterleave_fields(p, unit), true;
  if (p.pitch == p.rows * unit && are_many_fields(p.rows, p.columns, unit)) return interleave_fields(p, unit), true;
  return false;
}

/// Transposes a panel into the image.
inline void transpose_panel(call const& c, panel const& p, offset unit) {
  if (transpose_fields(c, p, unit)) return;
  bool const is_element = with_element(unit, [&](auto size) {
    p.columns > 1 ? transpose_elements<size>(p, c.plan) : copy_rows(p.image, size, p, c.plan.load.row_step, size);
  });
  if (!is_element) transpose_units(p, unit);
}

/// Transposes units into the image and writes the image.
inline void transpose_image(call const& c, tile const& t) {
  for (offset b = 0; b < t.batch; ++b) transpose_panel(c, rows_of(c, t, b, 0, t.rows), t.unit);
  c.plan.writes_groups() ? write_groups(c, t) : write_image(c, t);
}

/// Transposes the rows from `begin` to `end` through an image of the rows that fill a cache line. Elements that change do so on
/// their way from the image.
inline void transpose_rows_by_image(call const& c, tile const& t, offset begin, offset end) {
  offset const unit = source_unit_of(c, t), line = kCacheLine / std::max(unit, t.unit);
  for (offset i = begin; i < end; i += line) {
    auto const p = rows_of(c, t, 0, i, std::min(line, end - i));
    assert(p.rows * unit <= c.pitch);
    transpose_panel(c, p, unit);
    for (offset j = 0; j < t.columns; ++j) {
      auto* const to = t.destination + c.tables.column_destination[std::size_t(j)] + i * t.unit;
      auto* const column = c.image + j * c.pitch;
      c.changer ? c.changer->row(as_bytes(column), as_bytes(to), p.rows)
                : void(std::memcpy(to, column, std::size_t(p.rows * unit)));
    }
  }
}
