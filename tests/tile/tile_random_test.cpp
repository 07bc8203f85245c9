// Tiles of the headers for kernels at random places beside pages that must not be touched: random bounds, pitches, which may be
// negative, and operations that change the size of elements.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include "block/host.hpp"
#include "cornerturn/packed.cuh"
#include "cornerturn/rows.cuh"
#include "cornerturn/tile.cuh"
#include "support/guarded.hpp"
#include "support/seeds.hpp"

namespace cornerturn {
namespace {

constexpr int kMostInt = std::numeric_limits<int>::max(), kLeastInt = std::numeric_limits<int>::min();

int below(std::mt19937& draw, int count) { return int(draw() % unsigned(count)); }

/// Bounds of a side of `count` elements.
int drawn_bound(std::mt19937& draw, int count) {
  int const each[] = {0, 1, count - 1, count, count, count, count + 5, below(draw, count + 1), kMostInt, -3, kLeastInt};
  return each[below(draw, std::size(each))];
}

/// A matrix of `rows` rows of `width` units, `unit` bytes each, between pages that must not be touched. Its rows may be in
/// reverse order, and overlap if nothing is stored.
class drawn_matrix {
 public:
  drawn_matrix(std::mt19937& draw, int rows, int width, int unit, bool stored)
      : pitch_(drawn_pitch(draw, width, unit, stored)),
        span_(rows && width ? std::size_t(unit) * std::size_t((rows - 1) * std::llabs(pitch_) + width) : 0),
        first_(pitch_ < 0 && span_ ? (rows - 1) * -pitch_ * unit : 0),
        memory_(filled(draw, span_), draw, std::size_t(unit)) {}

  long long pitch() const { return pitch_; }
  std::byte* first_row() const { return memory_.data() + first_; }
  /// A copy of all bytes, and the place of row 0 in it.
  std::vector<std::byte> bytes() const { return {memory_.bytes().begin(), memory_.bytes().end()}; }
  std::byte* first_row_of(std::vector<std::byte>& copied) const { return copied.data() + first_; }
  bool holds(std::vector<std::byte> const& wanted) const { return memory_.holds(wanted); }

 private:
  static long long drawn_pitch(std::mt19937& draw, int width, int unit, bool stored) {
    int const vectors = (width * unit + 15) / 16 * 16 / unit;
    int const each[] = {width, vectors, vectors + 16, width + below(draw, 20), stored ? width : below(draw, width + 1)};
    long long const pitch = each[below(draw, std::size(each))];
    return below(draw, 4) ? pitch : -pitch;
  }
  static std::vector<std::byte> filled(std::mt19937& draw, std::size_t bytes) {
    std::vector<std::byte> result(bytes);
    for (auto& each : result) each = std::byte(draw());
    return result;
  }

  long long pitch_;  ///< units
  std::size_t span_;
  std::ptrdiff_t first_;
  test::guarded memory_;
};

template <int Bytes>
struct alignas(Bytes) element {
  std::uint8_t bytes[Bytes];
};

/// An element of any size, of the bytes of another one and, if asked, of its place.
template <class To>
struct changed {
  bool by_place;
  template <class From>
  To operator()(From const& from, int row, int column) const {
    To result;
    for (std::size_t i = 0; i < sizeof(To); ++i)
      result.bytes[i] = std::uint8_t(from.bytes[i % sizeof(From)] + i + (by_place ? unsigned(row * 3 + column * 7) : 0));
    return result;
  }
};

/// A tile of T. Its elements are loaded as S and stored as D.
template <class T, class S, class D, int Rows, int Columns, int Threads, class Swizzle = tile::searched>
void expect_tile(std::mt19937& draw) {
  using tile_type = tile_transpose<T, Rows, Columns, Threads, Swizzle>;
  tile::bounds const bounds{drawn_bound(draw, Rows), drawn_bound(draw, Columns)};
  int const rows = std::clamp(bounds.rows, 0, Rows), columns = std::clamp(bounds.columns, 0, Columns);
  drawn_matrix const source(draw, rows, columns, sizeof(S), false), destination(draw, columns, rows, sizeof(D), true);
  auto const* const from = reinterpret_cast<S const*>(source.first_row());
  auto* const to = reinterpret_cast<D*>(destination.first_row());
  changed<T> const in{below(draw, 2) == 1};
  changed<D> const out{below(draw, 2) == 1};
  auto expected = destination.bytes();
  auto* const expected_row = destination.first_row_of(expected);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      D const each = out(in(from[r * source.pitch() + c], r, c), r, c);
      std::memcpy(expected_row + (c * destination.pitch() + r) * std::ptrdiff_t(sizeof(D)), &each, sizeof(D));
    }
  host_block block(Threads, tile_type::shared_bytes);
  block.run(below(draw, 2), [&] {
    tile_type::load(block, from, source.pitch(), bounds, in);
    tile_type::store(block, to, destination.pitch(), bounds, out);
  });
  EXPECT_TRUE(destination.holds(expected)) << Rows << " x " << Columns << " of " << sizeof(T) << ", " << sizeof(S) << " and "
                                           << sizeof(D) << " bytes within " << bounds.rows << " x " << bounds.columns
                                           << ", pitches " << source.pitch() << " and " << destination.pitch();
}

TEST(random_tiles, touch_what_is_within_their_bounds) {
  test::for_each_seed(40, [](unsigned seed) {
    std::mt19937 draw(seed);
    expect_tile<element<1>, element<1>, element<1>, 64, 64, 96>(draw);
    expect_tile<element<1>, element<4>, element<2>, 33, 48, 32>(draw);
    expect_tile<element<2>, element<8>, element<1>, 15, 32, 224>(draw);
    expect_tile<element<2>, element<1>, element<16>, 32, 64, 64, tile::tma_64>(draw);
    expect_tile<element<4>, element<4>, element<4>, 32, 32, 64>(draw);
    expect_tile<element<4>, element<16>, element<1>, 7, 1, 1024>(draw);
    expect_tile<element<4>, element<2>, element<8>, 1, 40, 32>(draw);
    expect_tile<element<8>, element<8>, element<4>, 19, 24, 32>(draw);
    expect_tile<element<16>, element<16>, element<16>, 12, 20, 64>(draw);
    expect_tile<element<16>, element<1>, element<2>, 8, 16, 160>(draw);
  });
}

/// Rows of T in a mode of TMA, which are loaded as S.
template <class T, class S, int Rows, int Boxes, int Threads, class Mode>
void expect_rows(std::mt19937& draw) {
  constexpr int kBox = Mode::column_bytes / int(sizeof(T)), kColumns = Boxes * kBox;
  using tile_type = row_tile<T, Rows, kColumns, Threads, Mode>;
  tile::bounds const bounds{drawn_bound(draw, Rows), drawn_bound(draw, kColumns)};
  int const rows = std::clamp(bounds.rows, 0, Rows), columns = std::clamp(bounds.columns, 0, kColumns);
  drawn_matrix const source(draw, rows, columns, sizeof(S), false);
  auto const* const from = reinterpret_cast<S const*>(source.first_row());
  changed<T> const change{below(draw, 2) == 1};
  std::vector<std::byte> expected(tile_type::shared_bytes);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      int const at = ((c / kBox * Rows + r) * kBox + c % kBox) * int(sizeof(T));
      T const each = change(from[r * source.pitch() + c], r, c);
      std::memcpy(expected.data() + (at ^ (at >> 3 & (Mode::column_bytes - 16))), &each, sizeof(T));
    }
  host_block block(Threads, tile_type::shared_bytes);
  block.run(below(draw, 2), [&] {
    tile_type::load(block, from, source.pitch(), bounds, change);
    block.sync();
    EXPECT_EQ(std::memcmp(tile_type::data(block), expected.data(), expected.size()), 0)
        << Rows << " x " << kColumns << " of " << sizeof(T) << " and " << sizeof(S) << " bytes within " << bounds.rows << " x "
        << bounds.columns << ", pitch " << source.pitch();
  });
}

TEST(random_tiles, of_rows_touch_what_is_within_their_bounds) {
  test::for_each_seed(40, [](unsigned seed) {
    std::mt19937 draw(seed);
    expect_rows<element<1>, element<1>, 17, 1, 32, tile::tma_32>(draw);
    expect_rows<element<2>, element<4>, 5, 1, 96, tile::tma_64>(draw);
    expect_rows<element<8>, element<1>, 64, 1, 64, tile::tma_128>(draw);
    expect_rows<element<4>, element<16>, 24, 3, 32, tile::tma_128>(draw);
    expect_rows<element<16>, element<16>, 8, 2, 256, tile::tma_128>(draw);
  });
}

/// The bits of element `index` of a row of packed elements.
template <int Bits>
int first_bit(int index, bool first_is_highest) {
  int const within = index % (8 / Bits);
  return Bits * (first_is_highest ? 8 / Bits - 1 - within : within);
}

template <int Bits, int Rows, int Columns>
void expect_packed(std::mt19937& draw) {
  using tile_type = packed_transpose<Bits, Rows, Columns>;
  constexpr int kPerByte = 8 / Bits, kOnes = (1 << Bits) - 1;
  tile::bounds const bounds{drawn_bound(draw, Rows), drawn_bound(draw, Columns)};
  int const rows = std::clamp(bounds.rows, 0, Rows), columns = std::clamp(bounds.columns, 0, Columns),
            row_bytes = (columns + kPerByte - 1) / kPerByte, column_bytes = (rows + kPerByte - 1) / kPerByte;
  drawn_matrix const source(draw, rows, row_bytes, 1, false), destination(draw, columns, column_bytes, 1, true);
  bool const first_is_highest = below(draw, 2) == 1;
  auto expected = destination.bytes();
  auto* const expected_row = destination.first_row_of(expected);
  for (int c = 0; c < columns; ++c)
    for (int r = 0; r < rows; ++r) {
      auto& to = expected_row[c * destination.pitch() + r / kPerByte];
      if (r % kPerByte == 0) to = {};
      auto const from = unsigned(source.first_row()[r * source.pitch() + c / kPerByte]);
      to |= std::byte((from >> first_bit<Bits>(c, first_is_highest) & kOnes) << first_bit<Bits>(r, first_is_highest));
    }
  host_block block(tile_type::threads, tile_type::shared_bytes);
  block.run(below(draw, 2), [&] {
    tile_type::load(block, source.first_row(), source.pitch(), bounds, first_is_highest);
    tile_type::store(block, destination.first_row(), destination.pitch(), bounds, first_is_highest);
  });
  EXPECT_TRUE(destination.holds(expected)) << Rows << " x " << Columns << " of " << Bits << " bits within " << bounds.rows
                                           << " x " << bounds.columns << ", pitches " << source.pitch() << " and "
                                           << destination.pitch();
}

TEST(random_tiles, of_packed_elements_touch_what_is_within_their_bounds) {
  test::for_each_seed(40, [](unsigned seed) {
    std::mt19937 draw(seed);
    expect_packed<4, 64, 256>(draw);
    expect_packed<2, 128, 512>(draw);
    expect_packed<1, 256, 1024>(draw);
  });
}

/// The sizes and the threads of a tile whose shared memory is small enough to look at all of it.
TEST(random_tiles, have_a_place_and_a_thread_for_each_element) {
  test::for_each_seed(300, [](unsigned seed) {
    std::mt19937 draw(seed);
    auto const side = [&] { return below(draw, 2) ? 1 << below(draw, 8) : 1 + below(draw, 150); };
    int const element = 1 << below(draw, 5), rows = side(), columns = side(), threads = 32 * (1 + below(draw, 32));
    SCOPED_TRACE(testing::Message() << rows << " x " << columns << " of " << element << " bytes, " << threads << " threads");
    auto const scheme = tile::detail::choose(element, rows, columns, threads);
    std::vector<int> places(std::size_t(scheme.pitch * columns));
    for (bool const store : {true, false}) {
      auto const& map = store ? scheme.squares : scheme.vectors;
      int const down = store ? scheme.across : scheme.vector, across = store ? scheme.along : 1;
      for (int step = 0; step < map.steps; ++step)
        for (int thread = 0; thread < threads; ++thread) {
          int const fast = map.fast(unsigned(thread), unsigned(step)), slow = map.slow(unsigned(thread), unsigned(step));
          int const row = store ? slow : fast, column = store ? fast : slow;
          if (slow >= (store ? rows : columns)) continue;
          for (int c = column; c < column + across; ++c)
            for (int r = 0; r < down; ++r) {
              ASSERT_EQ(scheme.offset(row, c) % down, 0);
              ASSERT_EQ(scheme.offset(row + r, c), scheme.offset(row, c) + r);
              ++places.at(std::size_t(scheme.offset(row + r, c)));
            }
        }
    }
    EXPECT_EQ(std::ranges::count(places, 2), rows * columns);
    EXPECT_EQ(std::ranges::count(places, 0), std::ssize(places) - rows * columns);
  });
}

}  // namespace
}  // namespace cornerturn
