#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "block/host.hpp"
#include "cornerturn/tile.cuh"
#include "explain/requests.hpp"
#include "tile/job.hpp"

namespace cornerturn {
namespace {

/// The wavefronts of the worst request of each kind.
struct worst_requests {
  int store = 0, load = 0, over_ideal = 0;

  void add(request const& each) {
    int const count = wavefronts(each);
    int& worst = each.store() ? store : load;
    worst = std::max(worst, count);
    over_ideal = std::max(over_ideal, count - ideal_wavefronts(each));
  }
};

recorded_access access_at(int thread, bool store, bool active, std::int64_t element, int bytes, int element_size) {
  return {.thread = thread,
          .place = {},
          .occurrence = 0,
          .space = memory_space::shared,
          .store = store,
          .active = active,
          .address = std::uint64_t(element * element_size),
          .bytes = bytes};
}

/// Visits every request to shared memory of a tile, and checks that each element is stored once and loaded once.
worst_requests requests_of_scheme(tile::tile_scheme const& scheme, int threads) {
  worst_requests result;
  for (bool const store : {true, false}) {
    auto const& map = store ? scheme.squares : scheme.vectors;
    int const width = store ? scheme.across : scheme.vector, slow_side = store ? scheme.rows : scheme.columns;
    std::vector<bool> taken(std::size_t(scheme.columns * scheme.pitch));
    int elements = 0;
    bool is_sound = true;
    for (int step = 0; step < map.steps; ++step)
      for (int c = 0; c < (store ? scheme.along : 1); ++c)
        for (int warp = 0; warp < threads / kWarp; ++warp) {
          request each{0, warp, {}};
          bool any = false;
          for (int thread = warp * kWarp; thread < (warp + 1) * kWarp; ++thread) {
            int const fast = map.fast(unsigned(thread), unsigned(step)), slow = map.slow(unsigned(thread), unsigned(step));
            int const row = store ? slow : fast, column = store ? fast + (c ^ (fast / scheme.along & scheme.turn)) : slow;
            bool const active = slow < slow_side;
            int const at = active ? scheme.offset(row, column) : 0;
            each.lanes.push_back(access_at(thread, store, active, at, width * scheme.element, scheme.element));
            for (int r = 0; active && r < width; ++r) {
              is_sound &= scheme.offset(row + r, column) == at + r && !taken.at(std::size_t(at + r));
              taken[std::size_t(at + r)] = true;
              ++elements;
            }
            any |= active;
          }
          if (any) result.add(each);
        }
    EXPECT_TRUE(is_sound);
    EXPECT_EQ(elements, scheme.rows * scheme.columns);
  }
  return result;
}

TEST(tile_scheme, has_at_most_one_wavefront_over_the_ideal_in_a_table_of_200) {
  constexpr int kTiles[][2] = {{32, 32}, {64, 64}, {64, 32}, {32, 128}, {128, 64}, {96, 96}, {80, 40}, {24, 24}};
  int of_200 = 0;
  for (int const element : {1, 2, 4, 8, 16})
    for (auto const& [rows, columns] : kTiles)
      for (int const threads : {32, 64, 128, 256, 512}) {
        SCOPED_TRACE(testing::Message() << element << " bytes, " << rows << " x " << columns << ", " << threads << " threads");
        auto const scheme = tile::detail::choose(element, rows, columns, threads);
        auto const found = requests_of_scheme(scheme, threads);
        EXPECT_LE(found.over_ideal, 1);
        EXPECT_LE(found.store, scheme.shared_store.wavefronts(scheme.swizzle_of_bytes()));
        EXPECT_LE(found.load, scheme.shared_load.wavefronts(scheme.swizzle_of_bytes()));
        ++of_200;
      }
  EXPECT_EQ(of_200, 200);
}

TEST(warp_access, has_the_wavefronts_that_explain_counts) {
  std::mt19937 random(56);
  auto const below = [&](int most) { return int(random() % unsigned(most)); };
  int conflicts = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    tile::warp_access access{{}, 1 << below(5)};
    int const least = tile::detail::log2_exact(access.bytes), bits = below(4);
    for (int& address : access.address) address = below(1 << (12 - least)) << least;
    tile::xor_swizzle const swizzle{bits, least + below(5), bits + below(5)};
    request each{0, 0, {}};
    std::set<int> addresses;
    for (int lane = 0; lane < kWarp; ++lane) {
      int address = 0;
      for (int i = 0; i < 5; ++i)
        if (lane >> i & 1) address ^= access.address[i];
      addresses.insert(address);
      each.lanes.push_back(access_at(lane, trial % 2 == 0, true, address ^ swizzle.change(address), access.bytes, 1));
    }
    if (addresses.size() != kWarp) continue;  // lanes of one address are no lanes of a tile
    EXPECT_EQ(access.wavefronts(swizzle), wavefronts(each)) << trial;
    EXPECT_EQ(access.ideal(), ideal_wavefronts(each)) << trial;
    conflicts += access.wavefronts(swizzle) > access.ideal();
  }
  EXPECT_GT(conflicts, 1000);
}

TEST(tile_scheme, has_no_swizzle_where_none_is_needed) {
  auto const scheme = tile::detail::choose(16, 7, 1, 128);
  EXPECT_EQ(scheme.swizzle.bits, 0);
  EXPECT_EQ(scheme.swizzle.base, 0);  // a shift
  EXPECT_EQ(scheme.offset(5, 0), 5);
  EXPECT_EQ(requests_of_scheme(scheme, 128).over_ideal, 0);
}

/// Expects that each element has a place of its own within the elements of shared memory.
void expect_places(tile::tile_scheme const& scheme, int elements) {
  std::set<int> places;
  for (int column = 0; column < scheme.columns; ++column)
    for (int row = 0; row < scheme.rows; ++row) places.insert(scheme.offset(row, column));
  EXPECT_EQ(int(places.size()), scheme.rows * scheme.columns);
  EXPECT_GE(*places.begin(), 0);
  EXPECT_LT(*places.rbegin(), elements) << scheme.element << ", " << scheme.rows << " x " << scheme.columns;
}

TEST(tile_scheme, has_a_place_for_each_element) {
  for (int const element : {1, 2, 4, 8, 16})
    for (int const rows : {1, 3, 8, 16, 48, 96})
      for (int const columns : {1, 8, 9, 17, 40}) {
        auto const found = tile::detail::choose(element, rows, columns, 64);
        expect_places(found, found.pitch * columns);
        for (tile::xor_swizzle const& given : {tile::xor_swizzle{3, 4, 3}, {3, 4, 5}, {2, 5, 2}, {1, 4, 1}, {1, 4, -2}}) {
          auto const scheme = tile::detail::choose(element, rows, columns, 64, true, given);
          expect_places(scheme, (scheme.pitch * columns * element + 127) / 128 * 128 / element);
        }
      }
  using narrow = tile_transpose<float, 16, 9, 64, tile::byte_swizzle<3, 4, 3>>;  // its last column is in a part of 128 bytes
  expect_places(narrow::scheme, narrow::shared_bytes / 4);
}

TEST(tile_scheme, has_no_conflicts_in_the_modes_of_tma) {
  int turned = 0;
  for (auto const& [bytes, given] :
       {std::pair(32, tile::tma_32::swizzle), std::pair(64, tile::tma_64::swizzle), std::pair(128, tile::tma_128::swizzle)})
    for (int const element : {1, 2, 4, 8, 16})
      for (int const columns : {64, 128, 256}) {
        if (bytes == 32 && element == 8) continue;  // a thread has too few columns for the four that share all banks
        SCOPED_TRACE(testing::Message() << bytes << ", " << element << ", " << columns);
        auto const scheme = tile::detail::choose(element, bytes / element, columns, 64, true, given);
        EXPECT_EQ(scheme.pitch * element, bytes);
        EXPECT_EQ(requests_of_scheme(scheme, 64).over_ideal, 0);
        EXPECT_TRUE(bytes < 128 || scheme.turn == 0);
        turned += scheme.turn > 0;
      }
  EXPECT_GE(turned, 18);
}

/// A tile in the middle of a matrix, whose rows are `pitch` elements apart.
template <class S>
std::vector<S> matrix(int rows, int pitch) {
  std::vector<S> result(std::size_t(rows) * std::size_t(pitch));
  for (std::size_t i = 0; i < result.size(); ++i) {
    auto const number = std::uint32_t(i * 2654435761U >> 7);
    std::memcpy(&result[i], &number, std::min(sizeof(S), sizeof(number)));
  }
  return result;
}

struct expected_bounds {
  int rows, columns;
};

/// Moves one tile through a block, and compares the destination with the transposed source: within the bounds, and beyond.
template <class Tile, class T, int Rows, int Columns, int Threads>
recording moved(expected_bounds const& inside, int pitch, int transposed_pitch) {
  auto const source = matrix<T>(Rows, pitch);
  std::size_t const size = std::size_t(Columns) * std::size_t(transposed_pitch) + 1;
  std::vector<T> destination(size), expected(size);
  T* const to = destination.data();
  for (int r = 0; r < std::min(Rows, inside.rows); ++r)
    for (int c = 0; c < std::min(Columns, inside.columns); ++c)
      expected[std::size_t(c * transposed_pitch + r)] = source[std::size_t(r * pitch + c)];

  recording record;
  for (int index = 0; index < 2; ++index) {  // block 1 runs its threads in reverse order
    host_block block(Threads, Tile::shared_bytes, index == 0 ? &record : nullptr);
    block.run(index, [&] {
      Tile::load(block, source.data(), pitch, {inside.rows, inside.columns});
      Tile::store(block, to, transposed_pitch, {inside.rows, inside.columns});
    });
    EXPECT_EQ(std::memcmp(destination.data(), expected.data(), expected.size() * sizeof(T)), 0);
    std::ranges::fill(destination, T{});
  }
  return record;
}

template <class Element, int R, int C, int B, class Swizzle = tile::searched>
struct typed_tile {
  using type = Element;
  static constexpr int kRows = R, kColumns = C, kThreads = B;
  using tile = tile_transpose<type, R, C, B, Swizzle>;
};

template <class Case>
class tile_header : public testing::Test {};
using typed_tiles =
    testing::Types<typed_tile<std::uint8_t, 64, 64, 256>, typed_tile<std::uint8_t, 64, 128, 128>,
                   typed_tile<std::uint16_t, 64, 64, 128>, typed_tile<float, 64, 64, 256>, typed_tile<float, 48, 40, 64>,
                   typed_tile<float, 96, 32, 64>, typed_tile<double, 32, 32, 128>, typed_tile<bits128, 16, 32, 64>,
                   typed_tile<float, 7, 9, 32>, typed_tile<std::uint16_t, 64, 64, 96>,
                   typed_tile<std::uint8_t, 64, 64, 128, tile::tma_64>, typed_tile<std::uint16_t, 32, 64, 64, tile::tma_64>,
                   typed_tile<std::uint16_t, 16, 64, 64, tile::tma_32>, typed_tile<float, 8, 128, 64, tile::tma_32>>;
TYPED_TEST_SUITE(tile_header, typed_tiles);

TYPED_TEST(tile_header, is_transposed_with_the_wavefronts_that_it_promises) {
  using tile = typename TypeParam::tile;
  constexpr int kRows = TypeParam::kRows, kColumns = TypeParam::kColumns, kThreads = TypeParam::kThreads;
  auto const record =
      moved<tile, typename TypeParam::type, kRows, kColumns, kThreads>({kRows, kColumns + 3}, kColumns * 2, kRows * 3);
  worst_requests found;
  int loads = 0;
  for (auto const& each : requests_of(record)) {
    if (each.space() == memory_space::shared && each.active() > 0) found.add(each);
    loads += each.space() == memory_space::global && !each.store();
  }
  EXPECT_EQ(found.store, tile::store_wavefronts);
  EXPECT_EQ(found.load, tile::load_wavefronts);
  EXPECT_LE(found.over_ideal, 1);
  EXPECT_EQ(loads, tile::scheme.squares.steps * tile::scheme.across * kThreads / kWarp);
}

TYPED_TEST(tile_header, has_ragged_edges_and_rows_without_alignment) {
  constexpr int kRows = TypeParam::kRows, kColumns = TypeParam::kColumns;
  auto const move = [](expected_bounds const& inside, int pitch, int transposed_pitch) {
    moved<typename TypeParam::tile, typename TypeParam::type, kRows, kColumns, TypeParam::kThreads>(inside, pitch,
                                                                                                    transposed_pitch);
  };
  move({kRows, kColumns}, kColumns + 1, kRows + 5);
  move({kRows - 1, kColumns}, kColumns, kRows);
  move({kRows, kColumns - 1}, kColumns, kRows);
  move({1, 1}, kColumns, kRows);
  move({0, kColumns}, kColumns, kRows);
  move({-5, -5}, kColumns, kRows);
}

TEST(tile_header_operations, cast_and_get_the_places_of_elements) {
  using tile = tile_transpose<std::uint16_t, 32, 32, 64>;
  for (int const rows : {32, 31}) {
    auto source = matrix<float>(32, 32);
    std::iota(source.begin(), source.end(), 0.0F);
    std::vector<double> destination(32 * 32, -1);
    host_block block(64, tile::shared_bytes);
    block.run(0, [&] {
      tile::load(block, source.data(), 32, {rows, 32}, [](float value, int row, int column) {
        EXPECT_EQ(value, float(row * 32 + column));
        return value + 1;
      });
      tile::store(block, destination.data(), 32, {rows, 32}, [](std::uint16_t value) { return value / 2.0; });
    });
    for (int row = 0; row < 32; ++row)
      for (int column = 0; column < 32; ++column)
        EXPECT_EQ(destination[std::size_t(column * 32 + row)], row < rows ? (row * 32 + column + 1) / 2.0 : -1);
  }
}

TEST(tile_header_operations, get_places_within_the_tile_alone) {
  using tile = tile_transpose<float, 48, 40, 64>;  // its last squares and vectors are outside
  ASSERT_FALSE(tile::scheme.squares.is_exact || tile::scheme.vectors.is_exact);
  auto const source = matrix<float>(48, 40);
  std::vector<float> destination(40 * 48);
  int calls = 0;
  auto const check = [&](float value, int row, int column) {
    EXPECT_TRUE(row < 48 && column < 40) << row << "," << column;
    ++calls;
    return value;
  };
  host_block block(64, tile::shared_bytes);
  block.run(0, [&] {
    tile::load(block, source.data(), 40, {48, 40}, check);
    tile::store(block, destination.data(), 48, {48, 40}, check);
  });
  EXPECT_EQ(calls, 2 * 48 * 40);
}

TEST(tile_header_operations, elements_outside_the_bounds_are_zero_in_shared_memory) {
  using tile = tile_transpose<std::int32_t, 32, 32, 64>;
  std::vector<std::int32_t> const source(32 * 32, 7);
  host_block block(64, tile::shared_bytes);
  block.run(0, [&] {
    tile::load(block, source.data(), 32, {20, 30});
    block.sync();
    for (int row = 0; row < 32; ++row)
      for (int column = 0; column < 32; ++column)
        EXPECT_EQ(tile::data(block)[tile::offset(row, column)], row < 20 && column < 30 ? 7 : 0);
  });
}

/// A host block that expects of each access what a GPU needs: both addresses are multiples of its width.
class aligned_block {
 public:
  explicit aligned_block(host_block& block) : block_(block) {}
  int thread() const { return block_.thread(); }
  void sync() { block_.sync(); }
  template <class T, int Count>
  T* shared() const {
    return block_.shared<T, Count>();
  }
  template <int V, class T>
  void global_load(T const* from, T* to, bool active) {
    block_.global_load<V>(checked<V>(from, active), checked<V>(to, active), active);
  }
  template <int V, class T>
  void global_store(T* to, T const* from, bool active) {
    block_.global_store<V>(checked<V>(to, active), checked<V>(from, active), active);
  }
  template <int V, class T>
  void shared_load(T const* from, T* to, bool active = true) {
    block_.shared_load<V>(checked<V>(from, active), checked<V>(to, active), active);
  }
  template <int V, class T>
  void shared_store(T* to, T const* from, bool active = true) {
    block_.shared_store<V>(checked<V>(to, active), checked<V>(from, active), active);
  }

 private:
  template <int V, class T>
  static T* checked(T* address, bool active) {
    EXPECT_TRUE(!active || reinterpret_cast<std::uintptr_t>(address) % (V * sizeof(T)) == 0) << address;
    return address;
  }
  host_block& block_;
};

/// A type whose alignment is less than its size.
template <int Bytes>
struct loose {
  std::uint8_t bytes[Bytes];
};

template <int Bytes>
void expect_aligned(int rows, int pitch) {
  using tile = tile_transpose<loose<Bytes>, 32, 16, 32>;
  using element = loose<Bytes>;
  std::vector<std::max_align_t> source(2 * 32 * 16 * Bytes / sizeof(std::max_align_t)), destination(source.size());
  host_block host(32, tile::shared_bytes);
  host.run(0, [&] {
    aligned_block block(host);
    [[maybe_unused]] char volatile odd[Bytes + 1] = {};  // elements on the stack may follow it
    tile::load(block, reinterpret_cast<element const*>(source.data()), pitch, {rows, 16});
    tile::store(block, reinterpret_cast<element*>(destination.data()), 32, {rows, 16});
  });
}

TEST(tile_header_alignment, of_registers_is_that_of_accesses) {
  for (int const rows : {31, 32})
    for (int const pitch : {16, 17}) {
      expect_aligned<2>(rows, pitch);
      expect_aligned<4>(rows, pitch);
      expect_aligned<8>(rows, pitch);
      expect_aligned<16>(rows, pitch);
    }
}

TEST(tile_header_explain, prints_the_numbers) {
  testing::internal::CaptureStdout();
  tile_transpose<float, 64, 64, 256>::explain();
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "64 x 64 elements of 4 bytes, 256 threads: Swizzle<3, 4, 6> of 16384 bytes\n"
            "wavefronts of a request: 4 to store, 4 to load, 8 together without bank conflicts\n");
}

}  // namespace
}  // namespace cornerturn
