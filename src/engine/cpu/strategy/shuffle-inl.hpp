// tiles.cpp includes this file for each target, inside its namespace.

/// The lookups that make one block of each of some groups, in each of some lines.
struct block_lookup {
  std::vector<cpu_shuffle::piece> const& pieces;  ///< of the block
  offset lanes;                                   ///< blocks of 16 bytes in a vector
  bool across;                                    ///< the lanes of a vector are of lines side by side
  bytes const* source;
  offset const* groups;             ///< by group: bytes from `source`
  offset group_count, group_bytes;  ///< group_bytes is the size of a group in the image
  offset const* columns;            ///< by line: bytes from `source`
  bytes* image;
  offset pitch, lines;  ///< pitch is the distance in bytes from line to line in the image
};

/// Makes the vector at byte `at` of the block from its `Count` pieces, in every group and line.
template <int Count, class D>
void look_up_vectors(D d, block_lookup const& given, offset at) {
  using vector = hn::Vec<D>;
  block_lookup const s = given;  // a copy, which no store can change
  vector from[Count];
  offset source[Count];
  for (int k = 0; k < Count; ++k) {
    from[k] = hn::LoadU(d, s.pieces[std::size_t(k)].from.data() + at);
    source[k] = s.pieces[std::size_t(k)].source;
  }
  auto const get = [&](bytes const* first) HWY_ATTR {
    vector all = hn::Zero(d);
    for (int k = 0; k < Count; ++k) all = hn::Or(all, hn::TableLookupBytesOr0(hn::LoadDup128(d, first + source[k]), from[k]));
    return all;
  };
  if (s.lines == 1) {
    auto const* const line = s.source + s.columns[0];
    for (offset g = 0; g < s.group_count; ++g) hn::StoreU(get(line + s.groups[g]), d, s.image + g * s.group_bytes + at);
    return;
  }
  for (offset g = 0; g < s.group_count; ++g) {
    auto const* const first = s.source + s.groups[g];
    auto* const to = s.image + g * s.group_bytes;
    if (!s.across) {
      for (offset line = 0; line < s.lines; ++line) hn::StoreU(get(first + s.columns[line]), d, to + at + line * s.pitch);
    } else {
      for (offset line = 0; line < s.lines; line += s.lanes) {
        offset const j = std::min(line, s.lines - s.lanes);
        store_blocks(d, get(first + s.columns[j]), to + (j + at / kBlock) * s.pitch, s.pitch);
      }
    }
  }
}

template <class D, std::size_t... Count>
void look_up_lanes(D d, block_lookup const& s, std::index_sequence<Count...>) {
  constexpr std::array kByCount{look_up_vectors<int(Count) + 1, D>...};
  auto const each = kByCount[s.pieces.size() - 1];
  for (offset at = 0; at < s.lanes * kBlock; at += offset(hn::Lanes(d))) each(d, s, at);
}

HWY_INLINE void look_up(block_lookup const& s) {
  constexpr std::make_index_sequence<cpu_shuffle::kMostPieces> counts;
  if (s.lanes == 4) return look_up_lanes(hn::CappedTag<bytes, 4 * kBlock>(), s, counts);
  if (s.lanes == 2) return look_up_lanes(hn::CappedTag<bytes, 2 * kBlock>(), s, counts);
  look_up_lanes(hn::FixedTag<bytes, kBlock>(), s, counts);
}

/// A tile that is shuffled into an image of `lines` lines. Whole groups are stored: the bytes that follow the last group of a
/// line in the image are overwritten if the group is not whole. If `rest` is given, it receives such a group instead.
struct shuffled_tile {
  cpu_plan const& plan;
  bytes const *source, *source_begin, *source_end;
  bytes *image, *rest;
  offset pitch, lines, units;
};

class shuffler {
 public:
  explicit shuffler(shuffled_tile const& tile)
      : t_(tile),
        s_(tile.plan.shuffle),
        unit_(tile.plan.tile.unit),
        columns_(s_.lines.data()),
        lanes_(s_.across ? s_.lanes : 1),
        inside_(is_inside(s_.low, s_.high, 0, t_.lines)) {}

  /// Fills the image, some groups of some lines at a time, so that they stay in the level 1 cache from one block to the next.
  void run() const {
    constexpr offset kLines = 32, kBytes = 8192;
    offset const lines = std::min(t_.lines, kLines), full = t_.units / s_.units;
    offset const most = std::max<offset>(1, kBytes / (lines * s_.units * unit_));
    for (offset group = 0, groups; group * s_.units < t_.units; group += groups) {
      groups = joined(group, std::clamp<offset>(full - group, 1, most));
      if (!inside_ && !is_inside(group, groups)) groups = 1;
      for (offset line = 0; line < t_.lines; line += lines) {
        offset const first = std::max<offset>(0, std::min(line, t_.lines - lanes_));
        fill(group, groups, first, std::min(lines, t_.lines - first));
      }
    }
  }

 private:
  bool is_inside(offset low, offset high, offset line, offset lines) const {
    if (lines < lanes_) return false;
    auto const* const begin = t_.source + low + columns_[line];
    auto const* const end = t_.source + high + columns_[line + lines - lanes_];
    return begin >= t_.source_begin && end <= t_.source_end && (!s_.within_pages || page_of(begin) == page_of(end - 1));
  }

  /// The number of groups, at most `most`, between which every page is mapped.
  offset joined(offset group, offset most) const {
    if (!s_.within_pages) return most;
    if (!s_.is_joined) return 1;
    offset const span = s_.group_end - s_.group_low + columns_[t_.lines - 1];
    auto const first = s_.groups.begin() + group;
    auto const apart = [&](offset before, offset after) { return std::abs(after - before) >= span + cpu_plan::kPage; };
    return std::min(most, std::adjacent_find(first, first + most, apart) - first + 1);
  }

  /// True if every piece of these groups, which `joined` counted, may be read.
  bool is_inside(offset group, offset groups) const {
    if (t_.lines < lanes_) return false;
    auto const [low, high] = std::minmax_element(s_.groups.begin() + group, s_.groups.begin() + group + groups);
    auto const* const begin = t_.source + *low + s_.group_low;
    auto const* const end = t_.source + *high + s_.group_high + columns_[t_.lines - lanes_];
    auto const* const needed = t_.source + *high + s_.group_end + columns_[t_.lines - 1];
    return begin >= t_.source_begin && end <= t_.source_end &&
           (!s_.within_pages || end <= needed || page_of(end - 1) == page_of(needed - 1));
  }

  /// True if every piece of a block, in these lines, stays in the pages of the bytes that it needs.
  bool stays_in_pages(cpu_shuffle::block const& block, bytes const* source, offset line, offset lines) const {
    return lines >= lanes_ && std::ranges::all_of(block.pieces, [&](cpu_shuffle::piece const& each) {
             auto const* const begin = source + each.source + columns_[line];
             auto const* const end = source + each.source + cpu_shuffle::kBytes + columns_[line + lines - lanes_];
             auto const *const low = source + each.low, *const high = source + each.high + columns_[t_.lines - lanes_];
             return begin >= t_.source_begin && end <= t_.source_end && (begin >= low || page_of(begin) == page_of(low)) &&
                    (end <= high || page_of(end - 1) == page_of(high - 1));
           });
  }

  void fill(offset group, offset groups, offset line, offset lines) const {
    offset const group_bytes = s_.units * unit_, first = group * group_bytes;
    offset const end = std::min(group_bytes, t_.units * unit_ - first);
    auto* const image = t_.rest && end < group_bytes ? t_.rest : t_.image + first;
    for (offset at = 0, k = 0; at < end; at += s_.step(), ++k) {
      auto const& block = s_.blocks[std::size_t(k)];
      offset const from = s_.groups[std::size_t(group)];
      if (groups > 1 || inside_ || is_inside(from + block.low, from + block.high, line, lines) ||
          (at + s_.step() <= end && stays_in_pages(block, t_.source + from, line, lines))) {
        look_up({.pieces = block.pieces,
                 .lanes = s_.lanes,
                 .across = s_.across,
                 .source = t_.source,
                 .groups = s_.groups.data() + group,
                 .group_count = groups,
                 .group_bytes = group_bytes,
                 .columns = columns_ + line,
                 .image = image + line * t_.pitch + at,
                 .pitch = t_.pitch,
                 .lines = lines});
      } else {
        offset const last = std::min(t_.units, (first + at + s_.step() + unit_ - 1) / unit_);
        for (offset u = (first + at) / unit_; u < last; ++u) {
          auto const* const source = t_.source + t_.plan.source_of(u);
          for (offset j = line; j < line + lines; ++j)
            copy_unit(image + j * t_.pitch + u * unit_ - first, source + columns_[j], unit_);
        }
      }
    }
  }

  shuffled_tile const t_;
  cpu_shuffle const& s_;
  offset const unit_;
  offset const* const columns_;
  offset const lanes_;
  bool const inside_;  ///< whole pieces of every group and line may be read
};

/// Looks an image up in tables and writes it. If the image is one run in the destination and stays in the caches, it is made
/// there.
inline void shuffle(call const& c, tile const& t) {
  cpu_plan const& plan = c.plan;
  offset const lines = plan.store.dense ? 1 : t.columns, units = t.rows * t.columns * t.batch / lines;
  bool const is_in_place = lines == 1 && !plan.store.streams;
  shuffler({.plan = plan,
            .source = t.source,
            .source_begin = c.source_begin,
            .source_end = c.source_end,
            .image = is_in_place ? t.destination : c.image,
            .rest = is_in_place ? c.image : nullptr,
            .pitch = c.pitch,
            .lines = lines,
            .units = units})
      .run();
  if (!is_in_place) return write_image(c, t);
  offset const rest = units % plan.shuffle.units;
  std::memcpy(t.destination + (units - rest) * t.unit, c.image, std::size_t(rest * t.unit));
}
