// tiles.cpp includes this file for each target, inside its namespace.

/// Copies the units of a column, four at a time, to places that are `step` bytes apart. `gap` is the distance from unit to unit
/// in the source in bytes; 0 if the distance varies, so that the table of rows has it.
inline void copy_rows(bytes* to, offset step, panel const& given, offset gap, offset unit_bytes) {
  with_size(unit_bytes, [to, step, p = given, gap](auto unit) {
    constexpr offset kAtOnce = 4;
    auto const copy = [=](offset i, offset source) HWY_ATTR { copy_unit(to + i * step, p.source + source, unit); };
    offset i = 0;
    if (gap) {
      for (auto source = p.row_source[0]; i + kAtOnce <= p.rows; i += kAtOnce)
        for (offset k = 0; k < kAtOnce; ++k, source += gap) copy(i + k, source);
    } else {
      for (; i + kAtOnce <= p.rows; i += kAtOnce)
        for (offset k = 0; k < kAtOnce; ++k) copy(i + k, p.row_source[i + k]);
    }
    for (; i < p.rows; ++i) copy(i, p.row_source[i]);
  });
}

/// Copies the units of a column one by one, because they lie apart on one side at least.
inline void copy_units(call const& c, tile const& t) {
  copy_rows(t.destination, c.plan.store.row_step, rows_of(c, t, 0, 0, t.rows), c.plan.load.row_step, t.unit);
}
