// tiles.cpp includes this file for each target, inside its namespace.

/// Prefetches the lines of the next tile, little by little while this tile is written. It does so only if a tile's rows are
/// contiguous in the source: the hardware's prefetcher is faster for rows with gaps between them.
class prefetcher {
 public:
  prefetcher(call const& c, tile const& t) : plan_(c.plan), source_(t.next), width_(plan_.tile.row_bytes()) {}

  /// Prefetches the next `count` bytes, by whole cache lines.
  void advance(offset count) {
    if (!plan_.load.dense) return;
    for (count += rest_; count >= kCacheLine; count -= kCacheLine) {
      if (row_ == plan_.tile.rows) {
        if (++batch_ >= plan_.tile.batch) return;
        row_ = 0;
      }
      hwy::Prefetch(source_ + plan_.tables.batch_source[std::size_t(batch_)] + plan_.tables.row_source[std::size_t(row_)] + at_);
      at_ += kCacheLine;
      if (at_ >= width_) at_ = 0, ++row_;
    }
    rest_ = count;
  }

 private:
  cpu_plan const& plan_;
  bytes const* source_;                  ///< the next tile
  offset const width_;                   ///< bytes of a row
  offset batch_ = 0, row_ = 0, at_ = 0;  ///< the matrix, the row and the byte of the row that are prefetched next
  offset rest_ = 0;                      ///< bytes of the last call that are not prefetched yet, less than a cache line
};

/// Writes a run that no other tile continues.
inline void write_run(call const& c, bytes* to, bytes const* from, offset count, prefetcher& next) {
  constexpr offset kStep = 512;
  if (!c.plan.store.streams) return void(std::memcpy(to, from, std::size_t(count)));
  offset const head = std::min(count, offset(-address_of(to) % kCacheLine));
  std::memcpy(to, from, std::size_t(head));
  offset done = head;
  for (offset step; (step = std::min(kStep, (count - done) / kCacheLine * kCacheLine)) > 0; done += step) {
    stream_lines(to + done, from + done, step);
    next.advance(step);
  }
  std::memcpy(to + done, from + done, std::size_t(count - done));
}

/// Streams the whole cache lines of a column. The rest of its last line is kept in front of the image's column, for the next
/// tile.
inline void stream_column(tile const& t, bytes* to, bytes* from, offset count) {
  offset const into_line = offset(address_of(to) % kCacheLine);
  offset const head = t.begins ? std::min(count, (kCacheLine - into_line) % kCacheLine) : -into_line;
  if (t.begins) std::memcpy(to, from, std::size_t(head));
  to += head, from += head, count -= head;
  offset const done = stream_lines(to, from, count), left = count - done;
  if (t.ends) {
    std::memcpy(to + done, from + done, std::size_t(left));
  } else if (left) {
    std::memmove(from - head - left, from + done, std::size_t(left));
  }
}

/// Writes the image to the destination.
inline void write_image(call const& c, tile const& t) {
  prefetcher next(c, t);
  if (c.plan.store.dense) return write_run(c, t.destination, c.image, t.size(), next);
  offset const run = t.rows * t.unit;
  // the next tile would stream bytes that lie before this one, if this one did not fill its first line
  bool const streams = c.plan.store.streams && c.plan.tile.rows * c.plan.tile.unit >= kCacheLine;
  for (offset j = 0; j < t.columns; ++j) {
    auto* const from = c.image + j * c.pitch;
    auto* const to = t.destination + c.tables.column_destination[std::size_t(j)];
    streams ? stream_column(t, to, from, run) : void(std::memcpy(to, from, std::size_t(run)));
    next.advance(run);
  }
}
