// tiles.cpp includes this file for each target, inside its namespace.

/// Prefetches the source of the next tile in steps, while this tile is written. Without it a tile would wait for each of its
/// short runs, because the hardware's prefetcher follows long runs only.
class prefetcher {
 public:
  prefetcher(call const& c, tile const& t)
      : source_(t.next),
        runs_(c.tables.run_source),
        run_(c.plan.load.run),
        size_(c.plan.tile.bytes()),
        lines_(offset(runs_.size()) * (run_ / kCacheLine + 1)),
        into_level1_(c.plan.load.dense) {}

  /// Prefetches the share of the next tile that `count` bytes are of this tile.
  void advance(offset count) {
    for (due_ += count * lines_; due_ >= size_ && next_ < runs_.size(); due_ -= size_) {
      auto const* const run = source_ + runs_[next_];
      into_level1_ ? hwy::Prefetch(run + at_) : prefetch(run + at_);
      at_ += kCacheLine;
      if (at_ >= run_ + offset(address_of(run) % kCacheLine)) at_ = 0, ++next_;
    }
  }

 private:
  bytes const* source_;  ///< the next tile
  std::vector<offset> const& runs_;
  offset run_, size_;     ///< bytes of a run and of a full tile
  offset lines_;          ///< about the number of a full tile's cache lines in the source
  bool into_level1_;      ///< true for a source without gaps; short runs stay in the level 2 cache until they are read
  offset due_ = 0;        ///< cache lines that are due, multiplied by `size_`
  std::size_t next_ = 0;  ///< the run that is prefetched next
  offset at_ = 0;         ///< the byte of that run
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

/// Streams the whole cache lines of a column. The bytes of its last, partial line are kept before the image's column, for the
/// next tile.
inline void stream_column(tile const& t, bytes* to, bytes* from, offset count) {
  offset const into_line = offset(address_of(to) % kCacheLine);
  offset const head = t.begins ? std::min(count, (kCacheLine - into_line) % kCacheLine) : -into_line;
  if (t.begins) std::memcpy(to, from, std::size_t(head));
  to += head, from += head, count -= head;
  offset const done = stream_lines(to, from, count), left = count - done;
  if (t.ends) {
    std::memcpy(to + done, from + done, std::size_t(left));
  } else if (left) {
    assert(left < kCacheLine);
    std::memmove(from - head - left, from + done, std::size_t(left));
  }
}

/// Writes each group of contiguous columns as one run. Inlined, it slows other loops.
HWY_NOINLINE void write_groups(call const& c, tile const& t) {
  prefetcher next(c, t);
  offset const group = c.plan.store.adjacent;
  for (offset j = 0; j < t.columns; j += group)
    write_run(c, t.destination + c.tables.column_destination[std::size_t(j)], c.image + j * c.pitch,
              std::min(group, t.columns - j) * c.pitch, next);
}

/// Writes the image to the destination.
inline void write_image(call const& c, tile const& t) {
  prefetcher next(c, t);
  if (c.plan.store.dense) return write_run(c, t.destination, c.image, t.size(), next);
  offset const run = t.rows * t.unit;
  // the next tile would stream bytes that lie before this one, if this one did not fill its first line
  bool const streams = c.plan.store.streams && c.plan.tile.rows * c.plan.tile.unit >= kCacheLine;
  bool const is_short = run >= kVectorBlock && run < kLongCopy;
  for (offset j = 0; j < t.columns; ++j) {
    auto* const from = c.image + j * c.pitch;
    auto* const to = t.destination + c.tables.column_destination[std::size_t(j)];
    if (streams)
      stream_column(t, to, from, run);
    else if (is_short)
      copy_run(to, from, run);
    else
      std::memcpy(to, from, std::size_t(run));
    next.advance(run);
  }
}
