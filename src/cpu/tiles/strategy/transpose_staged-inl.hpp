// tiles.cpp includes this file for each target, inside its namespace.

/// Transposes a panel whose rows and columns have at least a vector's bytes. The first pass reads 16 / Size rows at a time to
/// their ends, because the hardware prefetches such streams, and stores their transposed 16-byte blocks to the stage. The second
/// pass joins blocks of the same column to vectors and stores them to the image.
template <int Size, class D>
void transpose_in_two_passes(D d, panel const& p, bytes* stage) {
  constexpr int kRows = int(kVectorBlock) / Size, kBlocks = int(hn::MaxLanes(D()) / kVectorBlock);
  constexpr offset kBytes = offset(hn::MaxLanes(D())), kLanes = kBytes / Size;
  into_image const store{p.image, p.pitch};
  offset const group = (p.columns + kLanes - 1) / kLanes * kRows * kBytes;
  for_rows<kLanes>(p, [&](bytes const* const* rows, offset row) {
    for (int g = 0; g < kBlocks; ++g) {
      auto* to = stage + g * group;
      for (offset at = 0; at < p.columns; at += kLanes, to += kRows * kBytes)
        stage_rows<Size>(d, rows + g * kRows, std::min(at, p.columns - kLanes) * Size, to);
    }
    auto const* from = stage;
    for (offset at = 0; at < p.columns; at += kLanes, from += kRows * kBytes)
      for (int k = 0; k < kRows; ++k) {
        hn::Vec<D> across[kBlocks];
        for (int g = 0; g < kBlocks; ++g) across[g] = hn::Load(d, from + g * group + k * kBytes);
        transpose_blocks(d, across);
        auto const column = std::min(at, p.columns - kLanes) + k;
        for (int b = 0; b < kBlocks; ++b) store(d, across[b], column + b * kRows, row * Size);
      }
  });
}

/// Transposes a panel in two passes. Returns false if its rows or columns are shorter than a vector of two 16-byte blocks.
template <int Size>
bool transpose_by_stage(panel const& p, bytes* stage) {
  auto const transpose = [&](auto d) {
    if constexpr (Size <= 2 && hn::MaxLanes(decltype(d)()) > kVectorBlock) {
      if (std::min(p.rows, p.columns) * Size < offset(hn::Lanes(d))) return false;
      transpose_in_two_passes<Size>(d, p, stage);
      return true;
    }
    return false;
  };
  return transpose(hn::CappedTag<bytes, kCacheLine>()) || transpose(hn::CappedTag<bytes, kCacheLine / 2>());
}

/// Transposes elements of 1 or 2 bytes into the image through a stage, and writes the image.
inline void transpose_staged(call const& c, tile const& t) {
  for (offset b = 0; b < t.batch; ++b) {
    auto const p = rows_of(c, t, b, 0, t.rows);
    if (!with_element(t.unit, [&](auto size) { return transpose_by_stage<size>(p, c.stage); })) transpose_panel(c, p, t.unit);
  }
  c.plan.writes_groups() ? write_groups(c, t) : write_image(c, t);
}
