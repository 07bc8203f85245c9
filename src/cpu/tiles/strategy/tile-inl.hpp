// tiles.cpp includes this file for each target, inside its namespace.

/// The plan and the memory that all tiles of a call share.
struct call {
  cpu_plan const& plan;
  cpu_tables const& tables;        ///< plan.tables
  offset pitch;                    ///< bytes from one column of the image to the next
  bytes* image;                    ///< memory for an image, and for a cache line before it
  bytes* stage;                    ///< plan.stage_bytes() of memory
  bytes const* source_begin;       ///< the first byte of the source that may be read
  bytes const* source_end;         ///< the end of what may be read
  element_changer const* changer;  ///< changes elements; null if bits are copied
};

/// One tile: its place and its extents, which are smaller than the plan's at an edge.
struct tile {
  bytes const* source;
  bytes* destination;
  bytes const* next;     ///< the source of the tile that comes next
  offset unit;           ///< bytes
  offset batch;          ///< matrices
  offset rows, columns;  ///< units
  bool begins;           ///< no tile that the thread moved before ends where the columns of this tile begin
  bool ends;             ///< the next tile does not continue the columns of this tile

  offset size() const { return unit * batch * rows * columns; }
};

/// Calls body(unit), where `unit` is a compile-time constant if an element has this size.
template <class Body>
HWY_INLINE void with_size(offset unit, Body const& body) {
  if (!with_element(unit, body)) body(unit);
}

/// The bytes of a unit in the source.
inline offset source_unit_of(call const& c, tile const& t) { return c.plan.change ? c.plan.change->source_unit : t.unit; }

/// The panel of `count` rows of matrix `b` of the batch, from row `first` on.
inline panel rows_of(call const& c, tile const& t, offset b, offset first, offset count) {
  assert(std::size_t(b) < c.tables.batch_source.size() && std::size_t(first + count) <= c.tables.row_source.size());
  panel result{.source = t.source + c.tables.batch_source[std::size_t(b)],
               .row_source = c.tables.row_source.data() + first,
               .rows = count,
               .columns = t.columns,
               .image = c.image + b * t.columns * c.pitch,
               .pitch = c.pitch,
               .source_end = c.source_end};
  if (c.plan.load.shared_modes) {  // every page between the first and the last byte of the source is mapped
    result.reads_on = result.source + c.plan.load.last + kVectorBlock <= c.source_end;
  } else if (c.plan.load.dense && count > 0) {
    auto const* const last_row = result.source + result.row_source[count - 1];
    result.reads_on = may_read(result, last_row + t.columns * source_unit_of(c, t), last_row + kVectorBlock);
  }
  return result;
}
