// Several files include this file for each target, inside its namespace.

namespace hn = hwy::HWY_NAMESPACE;

/// The bytes ahead of a load in its row that are prefetched. More rows are read at once than the hardware's prefetcher follows.
constexpr offset kPrefetchDistance = 128;

/// The lane type that holds one element. An element of 16 bytes has two lanes.
template <int Size>
using lane_of = hwy::UnsignedFromSize<std::min(Size, 8)>;

/// Stores the blocks of a vector `step` bytes apart.
template <class D, class V>
HWY_INLINE void store_blocks(D d, V v, bytes* to, offset step) {
  if constexpr (hn::MaxLanes(D()) == kVectorBlock) {
    hn::StoreU(v, d, to);
  } else {
    constexpr hn::Half<D> half;
    store_blocks(half, hn::LowerHalf(half, v), to, step);
    store_blocks(half, hn::UpperHalf(half, v), to + offset(hn::MaxLanes(half)) / kVectorBlock * step, step);
  }
}

/// Loads blocks from the addresses at(first), at(first + step) and so on.
template <class D, class Address>
HWY_INLINE hn::Vec<D> load_blocks(D d, Address const& at, offset first, offset step) {
  if constexpr (hn::MaxLanes(D()) == kVectorBlock) {
    return hn::LoadU(d, at(first));
  } else {
    constexpr hn::Half<D> half;
    auto const second = first + offset(hn::MaxLanes(half)) / kVectorBlock * step;
    return hn::Combine(d, load_blocks(half, at, second, step), load_blocks(half, at, first, step));
  }
}

/// Transposes the lanes of 16 / Size vectors, which hold rows: afterwards block b of vector k is column b * 16 / Size + k. Each
/// stage interleaves the lanes of row k with those of row k + half the rows.
template <int Size, class D, class V>
HWY_INLINE void transpose_lanes(D d, V* columns) {
  constexpr int kRows = int(kVectorBlock) / Size;
  const hn::Repartition<lane_of<Size>, D> lanes;
  V next[kRows];
  for (int stage = 1; stage < kRows; stage *= 2) {
    for (int k = 0; k < kRows / 2; ++k) {
      auto const low = hn::BitCast(lanes, columns[k]), high = hn::BitCast(lanes, columns[k + kRows / 2]);
      next[2 * k] = hn::BitCast(d, hn::InterleaveLower(lanes, low, high));
      next[2 * k + 1] = hn::BitCast(d, hn::InterleaveUpper(lanes, low, high));
    }
    for (int k = 0; k < kRows; ++k) columns[k] = next[k];
  }
}

/// Transposes the lanes of 16 / Size rows, whose vectors load(row) loads.
template <int Size, class D, class Load, class V>
HWY_INLINE void transpose_lanes(D d, Load const& load, V* columns) {
  for (int k = 0; k < int(kVectorBlock) / Size; ++k) columns[k] = load(k);
  transpose_lanes<Size>(d, columns);
}

/// Transposes the lanes of 16 / Size rows, whose vectors begin `at` bytes after the rows' addresses.
template <int Size, class D, class V>
HWY_INLINE void transpose_lanes(D d, bytes const* const* rows, offset at, V* columns) {
  transpose_lanes<Size>(
      d, [=](int k) HWY_ATTR { return hn::LoadU(d, rows[k] + at); }, columns);
}

/// Transposes a square of blocks: the number of vectors is the number of blocks in a vector.
template <class D, class V>
HWY_INLINE void transpose_blocks(D d, V* vectors) {
  if constexpr (hn::MaxLanes(D()) == 2 * kVectorBlock) {
    auto const first = vectors[0], second = vectors[1];
    vectors[0] = hn::ConcatLowerLower(d, second, first);
    vectors[1] = hn::ConcatUpperUpper(d, second, first);
  } else if constexpr (hn::MaxLanes(D()) == 4 * kVectorBlock) {
    auto const even_low = hn::ConcatLowerLower(d, vectors[2], vectors[0]),
               odd_low = hn::ConcatLowerLower(d, vectors[3], vectors[1]),
               even_high = hn::ConcatUpperUpper(d, vectors[2], vectors[0]),
               odd_high = hn::ConcatUpperUpper(d, vectors[3], vectors[1]);
    vectors[0] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(odd_low), even_low);
    vectors[1] = hn::OddEvenBlocks(odd_low, hn::SwapAdjacentBlocks(even_low));
    vectors[2] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(odd_high), even_high);
    vectors[3] = hn::OddEvenBlocks(odd_high, hn::SwapAdjacentBlocks(even_high));
  }
}

/// Stores a vector `into` bytes into a column of the image.
struct into_image {
  bytes* image;
  offset pitch;

  template <class D, class V>
  HWY_INLINE void operator()(D d, V v, offset column, offset into) const {
    hn::StoreU(v, d, image + column * pitch + into);
  }
};

/// Transposes a square: one vector of each row becomes one vector of each column. load(row) loads the vectors, and store(d,
/// vector, column, into) stores them.
template <int Size, class D, class Load, class Store>
HWY_INLINE void transpose_square(D d, Load const& load, offset column, offset into, Store const& store) {
  constexpr int kRows = int(kVectorBlock) / Size, kBlocks = int(hn::MaxLanes(D()) / kVectorBlock);
  hn::Vec<D> columns[kBlocks][kRows];
  for (int g = 0; g < kBlocks; ++g)
    transpose_lanes<Size>(
        d, [&](int k) HWY_ATTR { return load(g * kRows + k); }, columns[g]);
  for (int k = 0; k < kRows; ++k) {
    hn::Vec<D> across[kBlocks];
    for (int g = 0; g < kBlocks; ++g) across[g] = columns[g][k];
    transpose_blocks(d, across);
    for (int b = 0; b < kBlocks; ++b) store(d, across[b], column + b * kRows + k, into);
  }
}

/// Transposes a square whose vectors begin `at` bytes after the rows' addresses.
template <int Size, class D, class Store>
HWY_INLINE void transpose_square(D d, bytes const* const* rows, offset at, offset column, offset into, Store const& store) {
  transpose_square<Size>(
      d, [=](int k) HWY_ATTR { return hn::LoadU(d, rows[k] + at); }, column, into, store);
}

/// Calls body(row pointers, first row) for every `Count` rows. If the number of rows is not a multiple of `Count`, the last call
/// repeats rows of the call before.
template <offset Count, class Body>
HWY_INLINE void for_rows(panel const& p, Body const& body) {
  for (offset at = 0; at < p.rows; at += Count) {
    offset const first = std::max<offset>(0, std::min(at, p.rows - Count));
    bytes const* rows[Count];
    for (offset k = 0; k < Count; ++k) rows[k] = p.source + p.row_source[std::min(first + k, p.rows - 1)];
    body(rows, first);
  }
}

/// Transposes a panel by squares. Rows and columns have at least a vector's bytes.
template <int Size, class D>
void transpose_wide(D d, panel const& p) {
  constexpr offset kLanes = offset(hn::MaxLanes(D())) / Size;
  for_rows<kLanes>(p, [&](bytes const* const* rows, offset row) {
    for (offset at = 0; at < p.columns; at += kLanes) {
      offset const column = std::min(at, p.columns - kLanes);
      for (offset k = 0; k < kLanes; ++k) hwy::Prefetch(rows[k] + column * Size + kPrefetchDistance);
      transpose_square<Size>(d, rows, column * Size, column, row * Size, into_image{p.image, p.pitch});
    }
  });
}

/// Transposes the lanes of 16 / Size rows, whose vectors load(row) loads, and stores the vectors one after another.
template <int Size, class D, class Load>
HWY_INLINE void stage_rows(D d, Load const& load, bytes* to) {
  constexpr int kRows = int(kVectorBlock) / Size;
  hn::Vec<D> columns[kRows];
  transpose_lanes<Size>(d, load, columns);
  for (int k = 0; k < kRows; ++k) hn::Store(columns[k], d, to + k * offset(hn::MaxLanes(D())));
}

/// Transposes and stores the lanes of 16 / Size rows, whose vectors begin `at` bytes after the rows' addresses.
template <int Size, class D>
HWY_INLINE void stage_rows(D d, bytes const* const* rows, offset at, bytes* to) {
  stage_rows<Size>(
      d, [=](int k) HWY_ATTR { return hn::LoadU(d, rows[k] + at); }, to);
}

/// Transposes 16 / Size rows at once and stores blocks. If a column and the pitch are shorter than a block, a block reaches into
/// the next column, which is stored later.
template <int Size, class D>
void transpose_flat(D d, panel const& p) {
  constexpr int kRows = int(kVectorBlock) / Size;
  constexpr offset kColumns = offset(hn::MaxLanes(D())) / Size;
  for_rows<kRows>(p, [&](bytes const* const* rows, offset row) {
    for (offset at = 0; at < p.columns; at += kColumns) {
      offset const column = std::min(at, p.columns - kColumns);
      hn::Vec<D> columns[kRows];
      transpose_lanes<Size>(d, rows, column * Size, columns);
      for (int k = 0; k < kRows; ++k) store_blocks(d, columns[k], p.image + (column + k) * p.pitch + row * Size, kRows * p.pitch);
    }
  });
}

/// Transposes rows that have fewer bytes than a block. The rows that fill a vector of every column are transposed together. There
/// are at least that many rows, and a block may be loaded at the beginning of each row.
template <int Size, class D>
void transpose_narrow(D d, panel const& p) {
  constexpr offset kRows = kVectorBlock / Size, kLanes = offset(hn::MaxLanes(D())) / Size;
  // no array has the addresses of rows: the compiler would store it by vectors, and loads of single addresses wait for these
  auto const row_at = [&](offset row) HWY_ATTR { return p.source + p.row_source[row]; };
  for (offset at = 0; at < p.rows; at += kLanes) {
    offset const row = std::min(at, p.rows - kLanes);
    hn::Vec<D> columns[kRows];
    for (offset k = 0; k < kRows; ++k) columns[k] = load_blocks(d, row_at, row + k, kRows);
    transpose_lanes<Size>(d, columns);
    for (offset k = 0; k < p.columns; ++k) hn::StoreU(columns[k], d, p.image + k * p.pitch + row * Size);
  }
}

/// Transposes rows that have fewer bytes than a block. Blocks are loaded past a row's end where that memory may be read.
template <int Size>
void transpose_narrow(panel const& p) {
  constexpr int kRows = int(kVectorBlock) / Size;
  const hn::CappedTag<bytes, kCacheLine> widest;
  const hn::FixedTag<bytes, kVectorBlock> block;
  if (p.reads_on && p.rows * Size >= offset(hn::Lanes(widest))) return transpose_narrow<Size>(widest, p);
  if (p.reads_on && p.rows >= kRows) return transpose_narrow<Size>(block, p);
  for_rows<kRows>(p, [&](bytes const** rows, offset row) {
    alignas(kVectorBlock) bytes copies[kRows][kVectorBlock];
    for (int k = 0; k < kRows; ++k)
      if (!may_read(p, rows[k] + p.columns * Size, rows[k] + kVectorBlock)) {
        std::memcpy(copies[k], rows[k], std::size_t(p.columns * Size));
        rows[k] = copies[k];
      }
    hn::Vec<decltype(block)> columns[kRows];
    transpose_lanes<Size>(block, rows, 0, columns);
    for (offset k = 0; k < p.columns; ++k) hn::StoreU(columns[k], block, p.image + k * p.pitch + row * Size);
  });
}

/// Interleaves the elements of `Count` rows, as pixels are stored, from column `first` to `end`. The columns fill at least one
/// vector.
template <int Size, int Count, class Store>
void interleave(panel const& p, offset first, offset end, Store const& store) {
  using T = lane_of<Size>;
  const hn::ScalableTag<T> d;
  offset const lanes = offset(hn::Lanes(d));
  T const* rows[Count];
  for (int k = 0; k < Count; ++k) rows[k] = reinterpret_cast<T const*>(p.source + p.row_source[k]);
  for (offset at = first; at < end; at += lanes) {
    offset const i = std::min(at, end - lanes);
    auto* const to = reinterpret_cast<T*>(store.room(i * Count * Size));
    auto const load = [&](int k) HWY_ATTR { return hn::LoadU(d, rows[k] + i); };
    if constexpr (Count == 2) hn::StoreInterleaved2(load(0), load(1), d, to);
    if constexpr (Count == 3) hn::StoreInterleaved3(load(0), load(1), load(2), d, to);
    if constexpr (Count == 4) hn::StoreInterleaved4(load(0), load(1), load(2), load(3), d, to);
    store.done(i * Count * Size, lanes * Count * Size);
  }
}

/// Stores interleaved elements in the image.
struct interleaved_image {
  bytes* image;
  HWY_INLINE bytes* room(offset at) const { return image + at; }
  HWY_INLINE void done(offset, offset) const {}
};

/// Deinterleaves rows of `Count` elements, which are contiguous in the source, without gaps. If `ahead` is not 0, prefetches the
/// source `ahead` bytes later. The rows fill at least one vector.
template <int Size, int Count, class Store>
void deinterleave(bytes const* source, offset rows, Store const& store, offset ahead) {
  using T = lane_of<Size>;
  const hn::ScalableTag<T> d;
  offset const lanes = offset(hn::Lanes(d));
  auto const* const from = reinterpret_cast<T const*>(source);
  for (offset at = 0; at < rows; at += lanes) {
    offset const i = std::min(at, rows - lanes);
    hn::Vec<decltype(d)> fields[Count];
    if constexpr (Count == 2) hn::LoadInterleaved2(d, from + i * Count, fields[0], fields[1]);
    if constexpr (Count == 3) hn::LoadInterleaved3(d, from + i * Count, fields[0], fields[1], fields[2]);
    if constexpr (Count == 4) hn::LoadInterleaved4(d, from + i * Count, fields[0], fields[1], fields[2], fields[3]);
    if (ahead)
      for (offset line = 0; line < lanes * Count * Size; line += kCacheLine) prefetch(source + i * Count * Size + ahead + line);
    const hn::Repartition<bytes, decltype(d)> all;
    for (int k = 0; k < Count; ++k) store(all, hn::BitCast(all, fields[k]), k, i * Size);
  }
}

/// Calls body with `count`, which is 2 to 4, as a compile-time constant.
template <class Body>
HWY_INLINE void with_fields(offset count, Body const& body) {
  with_constant<2, 3, 4>(count, body);
}

/// True if one side has 2 to 4 rows (or columns) and the other at least a vector's elements, so that the transpose is an
/// interleave (or a deinterleave).
template <int Size>
bool are_fields(offset count, offset others) {
  return Size < kVectorBlock && count > 1 && count <= 4 && others >= offset(hn::Lanes(hn::ScalableTag<lane_of<Size>>()));
}

/// True if `transpose_elements` stores nothing after the end of a column, so that it may store to the destination.
template <int Size>
bool stays_inside(panel const& p, cpu_plan const& plan) {
  return (plan.store.dense && are_fields<Size>(p.rows, p.columns)) || (plan.load.dense && are_fields<Size>(p.columns, p.rows)) ||
         std::min(p.rows, p.columns) * Size >= kVectorBlock;
}

/// Transposes a panel of elements by the widest vectors that its rows and columns fill.
template <int Size>
void transpose_elements(panel const& p, cpu_plan const& plan) {
  if constexpr (Size < kVectorBlock) {
    if (plan.store.dense && are_fields<Size>(p.rows, p.columns))
      return with_fields(p.rows, [&](auto count) { interleave<Size, count>(p, 0, p.columns, interleaved_image{p.image}); });
    if (plan.load.dense && are_fields<Size>(p.columns, p.rows))
      return with_fields(p.columns, [&](auto count) {
        deinterleave<Size, count>(p.source + p.row_source[0], p.rows, into_image{p.image, p.pitch}, plan.load.prefetch_distance);
      });
  }
  offset const row = p.columns * Size, column = p.rows * Size;
  if (row < kVectorBlock) return transpose_narrow<Size>(p);
  auto const suits = [&](auto d) { return std::min(row, column) >= offset(hn::Lanes(d)); };
  if (const hn::CappedTag<bytes, kCacheLine> d; suits(d)) return transpose_wide<Size>(d, p);
  if (const hn::CappedTag<bytes, kCacheLine / 2> d; suits(d)) return transpose_wide<Size>(d, p);
  const hn::CappedTag<bytes, kCacheLine> widest;
  if (row >= offset(hn::Lanes(widest)) && (column >= kVectorBlock || p.pitch >= kVectorBlock))
    return transpose_flat<Size>(widest, p);
  transpose_flat<Size>(hn::FixedTag<bytes, kVectorBlock>(), p);
}
