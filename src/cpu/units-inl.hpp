// tiles.cpp includes this file for each target, inside its namespace.

/// Copies `count` bytes, from one to two words, by the first word and the last word.
template <class Word>
HWY_INLINE void copy_ends(bytes* to, bytes const* from, offset count) {
  Word first, last;
  offset const end = count - offset(sizeof(Word));
  std::memcpy(&first, from, sizeof first), std::memcpy(&last, from + end, sizeof last);
  std::memcpy(to, &first, sizeof first), std::memcpy(to + end, &last, sizeof last);
}

/// Copies `count` bytes with the fewest accesses.
HWY_INLINE void copy_unit(bytes* to, bytes const* from, offset count) {
  if (count >= kVectorBlock) {
    for (offset at = 0; at < count; at += kVectorBlock) {
      offset const i = std::min(at, count - kVectorBlock);
      std::memcpy(to + i, from + i, kVectorBlock);
    }
  } else if (count >= 8) {
    copy_ends<std::uint64_t>(to, from, count);
  } else if (count >= 4) {
    copy_ends<std::uint32_t>(to, from, count);
  } else if (count >= 2) {
    copy_ends<std::uint16_t>(to, from, count);
  } else {
    *to = *from;
  }
}

/// Copies `count` bytes, at least a block. A call of memcpy would take longer for short runs.
HWY_INLINE void copy_run(bytes* to, bytes const* from, offset count) {
  constexpr offset kAtOnce = kCacheLine / 2;
  if (count < kAtOnce) return copy_unit(to, from, count);
  offset const last = count - kAtOnce;
  for (offset at = 0; at < last; at += kAtOnce) std::memcpy(to + at, from + at, kAtOnce);
  std::memcpy(to + last, from + last, kAtOnce);
}

/// Copies a run of whole blocks.
template <int Bytes>
HWY_INLINE void copy_run(bytes* to, bytes const* from, std::integral_constant<int, Bytes>) {
  copy_unit(to, from, Bytes);
}

/// Transposes units of at most `Width` bytes, each by one load and one store of `Width` bytes. The rows that fill a cache line
/// are transposed together. The bytes that a store writes after its unit are overwritten by later rows of the image. Loads stay
/// within memory that may be read.
template <int Width>
void copy_short_units(panel const& p, offset unit) {
  offset const group = std::max<offset>(1, kCacheLine / unit);
  for (offset first = 0; first < p.rows; first += group) {
    offset const end = std::min(first + group, p.rows);
    auto const inside = [&](offset i) {
      auto const* const row_end = p.source + p.row_source[i] + p.columns * unit;
      return (p.rows - i) * unit >= Width && may_read(p, row_end, row_end - unit + Width);
    };
    bool all = true;
    for (offset i = first; i < end; ++i) all &= inside(i);
    for (offset j = 0; j < p.columns; ++j) {
      auto* to = p.image + j * p.pitch + first * unit;
      for (offset i = first; i < end; ++i, to += unit) {
        auto const* const from = p.source + p.row_source[i] + j * unit;
        all ? void(std::memcpy(to, from, Width)) : copy_unit(to, from, unit);
      }
    }
  }
}

/// Transposes units of any size.
HWY_INLINE void transpose_units(panel const& p, offset unit) {
  if (unit <= 4) return copy_short_units<4>(p, unit);
  if (unit <= 8) return copy_short_units<8>(p, unit);
  if (unit <= 16) return copy_short_units<16>(p, unit);
  for (offset i = 0; i < p.rows; ++i)
    for (offset j = 0; j < p.columns; ++j)
      copy_unit(p.image + j * p.pitch + i * unit, p.source + p.row_source[i] + j * unit, unit);
}
