// tiles.cpp includes this file for each target, inside its namespace.

/// Transposes a panel to the destination. Returns false if vector stores would write outside its columns.
template <int Size>
bool transpose_to_destination(panel const& p, cpu_plan const& plan) {
  if (transpose_by_squares<Size>(p, plan)) return true;
  if (Size == kVectorBlock || !stays_inside<Size>(p, plan)) return false;
  transpose_elements<Size>(p, plan);
  return true;
}

/// Transposes elements in vector registers and stores vectors to the destination. A tile at an edge that is too small for vectors
/// is copied, or goes by way of an image.
inline void transpose_cached(call const& c, tile const& t) {
  bool const done = t.columns > 1 && with_element(t.unit, [&](auto size) {
                      for (offset b = 0; b < t.batch; ++b) {
                        auto p = rows_of(c, t, b, 0, t.rows);
                        p.image = t.destination + b * t.rows * t.columns * t.unit;
                        p.pitch = c.plan.store.column_step;
                        if (!transpose_to_destination<size>(p, c.plan)) return false;
                      }
                      return true;
                    });
  if (!done) t.unit == kVectorBlock ? copy_blocks(c, t) : transpose_image(c, t);
}
