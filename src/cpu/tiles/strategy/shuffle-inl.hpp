// tiles.cpp includes this file for each target, inside its namespace.

/// The lookups for one block in several groups of several lines.
struct block_lookup {
  std::vector<cpu_shuffle::piece> const& pieces;  ///< the pieces of the block
  offset lanes;                                   ///< blocks of 16 bytes in a vector
  bool across;                                    ///< true if the lanes of a vector belong to neighbouring lines
  bytes const* source;
  offset const* groups;             ///< by group: bytes from `source`
  offset group_count, group_bytes;  ///< group_bytes is the size of a group in the image
  offset const* columns;            ///< by line: bytes from `source`
  bytes* image;
  offset pitch, lines;  ///< pitch is the distance in bytes from line to line in the image
};

/// Makes the vector at byte `at` of the block from the `Count` pieces of the block, in every group and line.
template <int Count, class D>
void look_up_vectors(D d, block_lookup const& given, offset at) {
  using vector = hn::Vec<D>;
  block_lookup const s = given;  // a local copy, because the compiler cannot know that stores do not change the original
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
        store_blocks(d, get(first + s.columns[j]), to + (j + at / kVectorBlock) * s.pitch, s.pitch);
      }
    }
  }
}

template <class D, std::size_t... Count>
void look_up_lanes(D d, block_lookup const& s, std::index_sequence<Count...>) {
  constexpr std::array kByCount{look_up_vectors<int(Count) + 1, D>...};
  auto const each = kByCount[s.pieces.size() - 1];
  for (offset at = 0; at < s.lanes * kVectorBlock; at += offset(hn::Lanes(d))) each(d, s, at);
}

HWY_INLINE void look_up(block_lookup const& s) {
  constexpr std::make_index_sequence<cpu_shuffle::kMostPieces> counts;
  if (s.lanes == 4) return look_up_lanes(hn::CappedTag<bytes, 4 * kVectorBlock>(), s, counts);
  if (s.lanes == 2) return look_up_lanes(hn::CappedTag<bytes, 2 * kVectorBlock>(), s, counts);
  look_up_lanes(hn::FixedTag<bytes, kVectorBlock>(), s, counts);
}

/// Makes the image of a tile. An image that is one run of the destination and stays in the caches is made in place, in the
/// destination. Groups are stored whole, so a last group that is not whole overwrites the bytes after its line. Such a group of
/// an image in place is made in the image's own memory instead.
class shuffler {
 public:
  shuffler(call const& c, tile const& t)
      : c_(c),
        t_(t),
        s_(c.plan.shuffle),
        unit_(c.plan.tile.unit),
        columns_(s_.lines.data()),
        line_count_(c.plan.store.dense ? 1 : t.columns),
        units_(t.rows * t.columns * t.batch / line_count_),
        is_in_place_(line_count_ == 1 && !c.plan.store.streams),
        lanes_(s_.across ? s_.lanes : 1),
        inside_(is_inside(s_.low, s_.high, 0, line_count_)) {}

  /// Fills the image and writes it. A few groups of a few lines are filled at a time, so that they stay in the level 1 cache from
  /// one block to the next.
  void run() const {
    constexpr offset kLines = 32, kBytes = 8192;
    offset const lines = std::min(line_count_, kLines), full = units_ / s_.units;
    offset const most = std::max<offset>(1, kBytes / (lines * s_.units * unit_));
    for (offset group = 0, groups; group * s_.units < units_; group += groups) {
      groups = joined(group, std::clamp<offset>(full - group, 1, most));
      if (!inside_ && !is_inside(group, groups)) groups = 1;
      for (offset line = 0; line < line_count_; line += lines) {
        offset const first = std::max<offset>(0, std::min(line, line_count_ - lanes_));
        fill(group, groups, first, std::min(lines, line_count_ - first));
      }
    }
    if (!is_in_place_) return write_image(c_, t_);
    offset const rest = units_ % s_.units;
    std::memcpy(t_.destination + (units_ - rest) * unit_, c_.image, std::size_t(rest * unit_));
  }

 private:
  bool is_inside(offset low, offset high, offset line, offset lines) const {
    if (lines < lanes_) return false;
    auto const* const begin = t_.source + low + columns_[line];
    auto const* const end = t_.source + high + columns_[line + lines - lanes_];
    return begin >= c_.source_begin && end <= c_.source_end && (!s_.within_pages || page_of(begin) == page_of(end - 1));
  }

  /// The number of groups, at most `most`, between which every page is mapped.
  offset joined(offset group, offset most) const {
    if (!s_.within_pages) return most;
    if (!s_.is_joined) return 1;
    offset const span = s_.group_end - s_.group_low + columns_[line_count_ - 1];
    auto const first = s_.groups.begin() + group;
    auto const apart = [&](offset before, offset after) { return std::abs(after - before) >= span + kPage; };
    return std::min(most, std::adjacent_find(first, first + most, apart) - first + 1);
  }

  /// True if every piece of these groups, which `joined` counted, may be read.
  bool is_inside(offset group, offset groups) const {
    if (line_count_ < lanes_) return false;
    auto const [low, high] = std::minmax_element(s_.groups.begin() + group, s_.groups.begin() + group + groups);
    auto const* const begin = t_.source + *low + s_.group_low;
    auto const* const end = t_.source + *high + s_.group_high + columns_[line_count_ - lanes_];
    auto const* const needed = t_.source + *high + s_.group_end + columns_[line_count_ - 1];
    return begin >= c_.source_begin && end <= c_.source_end &&
           (!s_.within_pages || end <= needed || page_of(end - 1) == page_of(needed - 1));
  }

  /// True if every piece of a block, in these lines, stays in the pages of the bytes that it needs.
  bool stays_in_pages(cpu_shuffle::block const& block, bytes const* source, offset line, offset lines) const {
    return lines >= lanes_ && std::ranges::all_of(block.pieces, [&](cpu_shuffle::piece const& each) {
             auto const* const begin = source + each.source + columns_[line];
             auto const* const end = source + each.source + cpu_shuffle::kBytes + columns_[line + lines - lanes_];
             auto const *const low = source + each.low, *const high = source + each.high + columns_[line_count_ - lanes_];
             return begin >= c_.source_begin && end <= c_.source_end && (begin >= low || page_of(begin) == page_of(low)) &&
                    (end <= high || page_of(end - 1) == page_of(high - 1));
           });
  }

  void fill(offset group, offset groups, offset line, offset lines) const {
    offset const group_bytes = s_.units * unit_, first = group * group_bytes;
    offset const end = std::min(group_bytes, units_ * unit_ - first);
    auto* const image = !is_in_place_ ? c_.image + first : end < group_bytes ? c_.image : t_.destination + first;
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
                 .image = image + line * c_.pitch + at,
                 .pitch = c_.pitch,
                 .lines = lines});
      } else {
        offset const last = std::min(units_, (first + at + s_.step() + unit_ - 1) / unit_);
        for (offset u = (first + at) / unit_; u < last; ++u) {
          auto const* const source = t_.source + c_.plan.source_of(u);
          for (offset j = line; j < line + lines; ++j)
            copy_unit(image + j * c_.pitch + u * unit_ - first, source + columns_[j], unit_);
        }
      }
    }
  }

  call const& c_;
  tile const t_;
  cpu_shuffle const& s_;
  offset const unit_;
  offset const* const columns_;      ///< by line: bytes from the tile's source
  offset const line_count_, units_;  ///< lines of the image, units of a line
  bool const is_in_place_;           ///< true if the image is made in the destination
  offset const lanes_;               ///< neighbouring lines in one vector
  bool const inside_;                ///< whole pieces of every group and line may be read
};

/// Makes an image by byte shuffles, whose tables the plan has, and writes it.
inline void shuffle(call const& c, tile const& t) { shuffler(c, t).run(); }
