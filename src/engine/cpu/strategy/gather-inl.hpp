// tiles.cpp includes this file for each target, inside its namespace.

/// Copies units one by one into the image, because both sides begin with the same modes, and writes the image.
inline void gather(call const& c, tile const& t) {
  with_size(t.unit, [p = rows_of(c, t, 0, 0, t.rows), columns = c.tables.column_source.data()](auto unit) {
    for (offset j = 0; j < p.columns; ++j)
      for (offset i = 0; i < p.rows; ++i)
        copy_unit(p.image + j * p.pitch + i * unit, p.source + p.row_source[i] + columns[j], unit);
  });
  write_image(c, t);
}
