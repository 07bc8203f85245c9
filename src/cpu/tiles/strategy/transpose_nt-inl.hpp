// tiles.cpp includes this file for each target, inside its namespace.

/// Rows whose elements change, a cache line of each row at a time, before they are transposed.
template <offset Count>
struct changed_rows {
  static constexpr offset kCount = Count;
  bytes const* rows[Count];

  explicit changed_rows(streamed_panel const& t) : changer_(t.changer), unit_(t.source_unit) {}
  offset unit() const { return unit_; }
  HWY_INLINE void change(offset first, offset count, offset column) {
    changer_->lines(as_bytes(rows + first), column * unit_, count, as_bytes(lines_ + first * kCacheLine));
  }
  template <class D>
  HWY_INLINE hn::Vec<D> load(D d, offset row, offset, offset into = 0) const {
    return hn::Load(d, lines_ + row * kCacheLine + into * (kCacheLine / (Count / 2)));
  }

 private:
  element_changer const* changer_;
  offset unit_;
  alignas(kCacheLine) bytes lines_[Count * kCacheLine];
};

/// Changes elements of any two types before they are transposed.
template <int Size>
struct changed_by_lines : copied<Size> {
  using rows = changed_rows<2 * kCacheLine / Size>;
};

/// The elements of a row before its first whole cache line, if all rows have the same number and share few sets of the level 1
/// cache: a line that two vectors touch would be evicted from that cache before the second vector. 0 if there are few vectors.
inline offset head_of(call const& c, tile const& t) {
  constexpr offset kMany = 16 * kCacheLine;  // bytes
  offset const unit = source_unit_of(c, t);
  auto const before = offset(-address_of(t.source) % std::uintptr_t(kCacheLine));
  bool const few_sets = c.plan.load.row_step != 0 && c.plan.load.row_step % (kPage / 2) == 0;
  return few_sets && before % unit == 0 && t.columns * unit >= kMany ? before / unit : 0;
}

/// Transposes two cache lines of every column at a time. Tiles continue the columns of the tile before.
inline void transpose_nt(call const& c, tile const& t) {
  cpu_plan const& plan = c.plan;
  offset const two = 2 * kCacheLine;
  bool const continues =
      plan.tile.rows * t.unit % two == 0 && (plan.tile.cut_rows.loop < 0 || plan.tile.cut_rows.last * t.unit >= two);
  streamed_panel const all{.rows = rows_of(c, t, 0, 0, t.rows),
                           .next = t.next,
                           .ahead = plan.load.prefetch_distance,
                           .head = head_of(c, t),
                           .to = t.destination,
                           .columns = c.tables.column_destination.data(),
                           .alignment = plan.store.alignment,
                           .kept = c.stage,
                           .heads = plan.joins_columns() ? c.stage + t.columns * kCacheLine : nullptr,
                           .begins = t.begins || !continues,
                           .ends = t.ends || !continues,
                           .changer = c.changer,
                           .source_unit = source_unit_of(c, t)};
  assert(c.stage && t.columns * kCacheLine * (plan.joins_columns() ? 2 : 1) <= plan.stage_bytes() &&
         t.columns <= std::ssize(c.tables.column_destination));
  offset done = c.changer ? c.changer->transpose(all) : 0;
  if (done == 0 && !(c.changer && c.changer->factors.reads_destination))
    with_element(t.unit, [&](auto size) {
      done = c.changer ? transpose_lines<changed_by_lines<size>>(all) : transpose_lines<copied<size>>(all);
    });
  transpose_rows_by_image(c, t, done, t.rows);
}
