// swap.cpp includes this file for each target, inside its namespace.

/// Consecutive rows or columns of a square.
struct span_of_runs {
  offset first, end;
};

/// Two tiles that lie across the diagonal of a square from each other: rows `down` of columns `across`, and the reverse.
struct mirrored_tiles {
  bytes* square;  ///< the first run of the square, or the part of it that is swapped
  offset pitch;   ///< bytes from one row of runs to the next
  offset step;    ///< bytes from one run of a row to the next
  offset head;    ///< runs before the first one that begins a cache line, if cache lines begin at the same column in every row
  span_of_runs down, across;

  mirrored_tiles(cpu_swap const& plan, bytes* first, offset row, offset column)
      : square(first), pitch(plan.pitch), step(plan.run), head(0) {
    bool const has_lines = pitch % kCacheLine == 0 && kCacheLine % step == 0 && plan.extent * step >= 2 * kCacheLine;
    if (has_lines && address_of(first) % std::uintptr_t(step) == 0) head = offset(-address_of(first) % kCacheLine) / step;
    auto const bound = [&](offset index) { return index == 0 ? 0 : std::min(plan.extent, head + index * plan.tile); };
    auto const span = [&](offset index) {
      return span_of_runs{bound(index), index + 1 == plan.tiles_along() ? plan.extent : bound(index + 1)};
    };
    down = span(row), across = span(column);
  }

  bool is_on_diagonal() const { return down.first == across.first; }
  bytes* at(offset row, offset column) const { return square + row * pitch + column * step; }
};

/// Swaps two runs of any size.
HWY_INLINE void swap_units(bytes* a, bytes* b, offset unit) {
  bytes held[kCacheLine];
  for (offset at = 0; at < unit; at += kCacheLine) {
    auto const count = std::min(kCacheLine, unit - at);
    if (count == kCacheLine) {
      std::memcpy(held, a + at, kCacheLine), std::memcpy(a + at, b + at, kCacheLine), std::memcpy(b + at, held, kCacheLine);
    } else {
      copy_unit(held, a + at, count), copy_unit(a + at, b + at, count), copy_unit(b + at, held, count);
    }
  }
}

/// Fetches the cache lines of a run for writing.
HWY_INLINE void prefetch_unit(bytes* first, offset unit) {
  for (offset at = 0; at < unit; at += kCacheLine) __builtin_prefetch(first + at, 1);
}

/// Swaps the runs of a pair of tiles one by one, `unit` bytes of each. The next row and its counterpart are prefetched, because
/// the runs of the counterpart are in a column.
HWY_INLINE void swap_runs(mirrored_tiles const& pair, offset unit) {
  for (offset row = pair.down.first; row < pair.down.end; ++row)
    for (offset column = pair.is_on_diagonal() ? row + 1 : pair.across.first; column < pair.across.end; ++column) {
      if (row + 1 < pair.down.end) {
        prefetch_unit(pair.at(row + 1, column), unit);
        prefetch_unit(pair.at(column, row + 1), unit);
      }
      swap_units(pair.at(row, column), pair.at(column, row), unit);
    }
}

/// Transposes a block of short runs into an image. A run is copied by a load and a store of `Width` bytes, at least as many as it
/// has, if the row has them. What the store writes after a run belongs to runs that are stored later, or to no run.
template <int Width>
HWY_INLINE void transpose_block(bytes const* from, offset pitch, offset rows, offset columns, offset unit, bytes* image,
                                offset image_pitch) {
  for (offset i = 0; i < rows; ++i, from += pitch, image += unit)
    for (offset j = 0; j < columns; ++j) {
      auto* const to = image + j * image_pitch;
      (columns - j) * unit >= Width ? void(std::memcpy(to, from + j * unit, Width)) : copy_unit(to, from + j * unit, unit);
    }
}

/// Swaps a pair of tiles that have runs of at most `Width` bytes, block by block. A block and its counterpart are transposed into
/// images, and each image is written to the place of the other block. The next blocks are prefetched for writing.
template <int Width>
void swap_blocks(mirrored_tiles const& pair, offset unit) {
  constexpr offset kMost = 32, kRow = 512;  // runs along a block's side, and bytes of its row
  alignas(kCacheLine) bytes of_a[kMost * (kRow + Width)], of_b[kMost * (kRow + Width)];
  offset const block = std::min(kMost, kRow / unit), pitch = block * unit + Width;
  assert(unit <= Width && unit == pair.step && block * pitch <= offset(sizeof of_a));
  auto const write = [&](bytes* to, bytes const* image, offset rows, offset count) {
    for (offset k = 0; k < rows; ++k) std::memcpy(to + k * pair.pitch, image + k * pitch, std::size_t(count));
  };
  auto const prefetch_block = [&](offset row, offset column, offset rows, offset columns) {
    for (offset k = 0; k < rows; ++k) prefetch_unit(pair.at(row + k, column), columns * unit);
  };
  for (offset row = pair.down.first; row < pair.down.end; row += block)
    for (offset column = pair.is_on_diagonal() ? row : pair.across.first; column < pair.across.end; column += block) {
      offset const rows = std::min(block, pair.down.end - row), columns = std::min(block, pair.across.end - column);
      if (auto const next = column + block; next < pair.across.end) {
        auto const width = std::min(block, pair.across.end - next);
        prefetch_block(row, next, rows, width), prefetch_block(next, row, width, rows);
      }
      auto *const a = pair.at(row, column), *const b = pair.at(column, row);
      transpose_block<Width>(a, pair.pitch, rows, columns, unit, of_a, pitch);
      if (a != b) {
        transpose_block<Width>(b, pair.pitch, columns, rows, unit, of_b, pitch);
        write(a, of_b, rows, columns * unit);
      }
      write(b, of_a, columns, rows * unit);
    }
}

/// Swaps a pair of tiles whose runs are no elements, `unit` bytes of each. Parts of runs have gaps between them.
HWY_INLINE void swap_any_runs(mirrored_tiles const& pair, offset unit) {
  if (unit < pair.step) return swap_runs(pair, unit);
  if (unit <= kVectorBlock) return swap_blocks<kVectorBlock>(pair, unit);
  if (unit < kCacheLine) return swap_blocks<kCacheLine>(pair, unit);
  swap_runs(pair, unit);
}

#if HWY_TARGET == HWY_SCALAR

template <int Size>
void swap_elements(mirrored_tiles const& pair) {
  swap_runs(pair, Size);
}

#else

/// Transposes two squares of vectors in registers, each to the place of the other. They may be one square.
template <int Size, class D>
HWY_INLINE void swap_squares(D d, bytes* a, bytes* b, offset pitch) {
  constexpr offset kBytes = offset(hn::MaxLanes(D())), kLanes = kBytes / Size;
  alignas(kCacheLine) bytes held[kLanes * kBytes];
  bytes const* rows[kLanes];
  for (offset k = 0; k < kLanes; ++k) rows[k] = a + k * pitch;
  transpose_square<Size>(d, rows, 0, 0, 0, into_image{held, kBytes});
  if (a != b) {
    for (offset k = 0; k < kLanes; ++k) rows[k] = b + k * pitch;
    transpose_square<Size>(d, rows, 0, 0, 0, into_image{a, pitch});
  }
  for (offset k = 0; k < kLanes; ++k) hn::StoreU(hn::Load(d, held + k * kBytes), d, b + k * pitch);
}

/// Swaps two rectangles that are smaller than a square of vectors by way of copies. `a` has `rows` x `columns` elements.
template <int Size, class D>
void swap_rectangles(D d, bytes* a, bytes* b, offset pitch, offset rows, offset columns) {
  constexpr offset kBytes = offset(hn::MaxLanes(D())), kLanes = kBytes / Size;
  assert(0 <= rows && rows <= kLanes && 0 <= columns && columns <= kLanes);
  // Whole squares are transposed, of which the copies fill a part.
  alignas(kCacheLine) bytes held[kLanes * kBytes], of_a[kLanes * kBytes] = {}, of_b[kLanes * kBytes] = {};
  auto const copy = [](bytes* to, offset to_pitch, bytes const* from, offset from_pitch, offset count, offset width) {
    for (offset k = 0; k < count; ++k) std::memcpy(to + k * to_pitch, from + k * from_pitch, std::size_t(width));
  };
  auto const transpose = [&](bytes const* from) HWY_ATTR {
    bytes const* lines[kLanes];
    for (offset k = 0; k < kLanes; ++k) lines[k] = from + k * kBytes;
    transpose_square<Size>(d, lines, 0, 0, 0, into_image{held, kBytes});
  };
  copy(of_a, kBytes, a, pitch, rows, columns * Size);
  copy(of_b, kBytes, b, pitch, columns, rows * Size);
  transpose(of_a), copy(b, pitch, held, kBytes, columns, rows * Size);
  transpose(of_b), copy(a, pitch, held, kBytes, rows, columns * Size);
}

/// The first rows (or columns) of the squares of vectors of a tile. They begin `head` runs after the first run of the whole square,
/// or a multiple of `Lanes` before or after that run. So they begin where cache lines begin, if these begin at the same column in
/// every row. The first
/// and the last square of a tile may have fewer runs than `Lanes`, and no square has more.
template <offset Lanes>
class square_bounds {
 public:
  square_bounds(span_of_runs const& all, offset head)
      : all_(all), head_(std::min(((head - all.first) % Lanes + Lanes) % Lanes, all.end - all.first)) {
    assert(0 <= head_ && head_ < Lanes);
  }

  offset count() const { return (all_.end - all_.first - head_ + Lanes - 1) / Lanes + (head_ > 0); }
  span_of_runs operator[](offset index) const { return {bound(index), std::min(bound(index + 1), all_.end)}; }

 private:
  offset bound(offset index) const {
    if (index == 0) return all_.first;
    return all_.first + head_ + (index - (head_ > 0)) * Lanes;
  }

  span_of_runs all_;
  offset head_;  ///< runs before the first whole square, fewer than `Lanes`
};

/// The order in which the squares of a pair of tiles are swapped: strips of `width` columns, each from its first row to its last.
/// On the diagonal, squares below it are left out, because those above it include them.
class strips {
 public:
  struct square {
    offset row, column;
  };

  strips(offset rows, offset columns, offset width, bool is_on_diagonal)
      : rows_(rows), columns_(columns), width_(width), is_on_diagonal_(is_on_diagonal) {}

  square first() const { return {0, 0}; }
  bool has(square const& at) const { return at.column < columns_; }
  square after(square at) const {
    do {
      auto const strip = at.column / width_ * width_;
      if (++at.column == std::min(strip + width_, columns_)) {
        at.column = strip;
        if (++at.row == rows_) at = {0, strip + width_};
      }
    } while (is_on_diagonal_ && has(at) && at.column < at.row);
    return at;
  }

 private:
  offset rows_, columns_, width_;
  bool is_on_diagonal_;
};

/// Swaps a pair of tiles by squares of vectors.
///
/// If rows are a power of two apart, the lines of a square fall into a few sets of the caches, which cannot hold the lines of
/// many squares. So squares begin at cache lines, and each line is read and written at once. A strip has two squares side by
/// side, because the hardware fetches lines in pairs. If squares cannot begin at lines, a tile is one strip, so that the two
/// squares that share a line follow each other. The next pair of squares is prefetched for writing, because no hardware
/// prefetcher follows this order. Non-temporal stores would take two to three times as long: the lines that were read are in the
/// caches.
template <int Size, class D>
void swap_by_squares(D d, mirrored_tiles const& pair) {
  constexpr offset kLanes = offset(hn::MaxLanes(D())) / Size, kPair = 2;
  square_bounds<kLanes> const down(pair.down, pair.head), across(pair.across, pair.head);
  strips const order(down.count(), across.count(), pair.pitch % kCacheLine == 0 ? kPair : across.count(), pair.is_on_diagonal());
  for (auto at = order.first(); order.has(at);) {
    auto const rows = down[at.row], columns = across[at.column];
    at = order.after(at);
    if (order.has(at)) {
      auto const row = down[at.row].first, column = across[at.column].first;
      for (offset k = 0; k < kLanes; ++k) {
        __builtin_prefetch(pair.at(row, column) + k * pair.pitch, 1);
        __builtin_prefetch(pair.at(column, row) + k * pair.pitch, 1);
      }
    }
    auto* const a = pair.at(rows.first, columns.first);
    auto* const b = pair.at(columns.first, rows.first);
    auto const height = rows.end - rows.first, width = columns.end - columns.first;
    if (height == kLanes && width == kLanes)
      swap_squares<Size>(d, a, b, pair.pitch);
    else
      swap_rectangles<Size>(d, a, b, pair.pitch, height, width);
  }
}

/// Swaps a pair of tiles whose runs are elements.
template <int Size>
void swap_elements(mirrored_tiles const& pair) {
  auto const shorter = std::min(pair.down.end - pair.down.first, pair.across.end - pair.across.first) * Size;
  const hn::CappedTag<bytes, kCacheLine> widest;
  if (shorter >= offset(hn::Lanes(widest))) return swap_by_squares<Size>(widest, pair);
  if (shorter >= kVectorBlock) return swap_by_squares<Size>(hn::FixedTag<bytes, kVectorBlock>(), pair);
  swap_runs(pair, Size);
}

#endif
