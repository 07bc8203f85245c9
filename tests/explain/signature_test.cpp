#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/host/host.hpp"
#include "explain/requests.hpp"

// What each rung asks of memory, measured on the program that runs: a rung under another's name cannot have its signature.

namespace cornerturn {
namespace {

struct recorded {
  rung_plan chosen;
  recording record;
  std::uintptr_t source, destination;
  std::vector<request> requests;
};

/// A dense transpose (or copy) of elements of `element_size` bytes by a rung, on memory aligned to sectors; of all blocks or the
/// first few.
recorded record_rung(rung kernel, std::int64_t rows, std::int64_t cols, int element_size, alignment aligned = {},
                     std::int64_t most_tiles = 1 << 30) {
  job const shape{.rows = rows, .cols = cols, .source_pitch = cols, .destination_pitch = info_of(kernel).is_copy ? cols : rows};
  recorded result{.chosen = plan_rung(kernel, shape, element_size, aligned)};
  result.chosen.blocks = std::min(result.chosen.blocks, most_tiles);
  struct alignas(128) line {
    std::byte bytes[128];
  };
  std::vector<line> source(std::size_t(rows * cols * element_size) / 128 + 1), destination(source.size());
  host::run(result.chosen, source.data(), destination.data(), &result.record);
  result.source = reinterpret_cast<std::uintptr_t>(source.data());
  result.destination = reinterpret_cast<std::uintptr_t>(destination.data());
  result.requests = requests_of(result.record);
  return result;
}

/// "4:1 16:4": for the requests of one kind, the bytes of an access and the sectors (global) or wavefronts (shared) of a request.
std::string costs(recorded const& run, memory_space space, bool store) {
  std::set<std::pair<int, int>> seen;
  for (auto const& each : run.requests)
    if (each.space() == space && each.store() == store && each.active() > 0)
      seen.insert({each.bytes(), space == memory_space::global ? sectors(each) : wavefronts(each)});
  std::vector<std::string> texts;
  for (auto const& [bytes, cost] : seen) texts.push_back(fmt::format("{}:{}", bytes, cost));
  return fmt::format("{}", fmt::join(texts, " "));
}

struct signature {
  rung kernel;
  std::string loads, shared_stores, shared_loads, stores;

  std::string const& of(memory_space space, bool store) const {
    return space == memory_space::global ? (store ? stores : loads) : store ? shared_stores : shared_loads;
  }
};

// 4-byte elements: a warp's 32 loads or stores are 4 sectors where they coalesce and 32 where they scatter, 16 as vectors; 1
// wavefront (vectors: 4) where no bank conflicts and 32 where all do. A box of TMA's has rows of 128 bytes and 4 sectors.
signature const kSignatures[] = {
    {rung::copy, "16:16", "", "", "16:16"},
    {rung::copy_tma, "128:16", "", "", "128:16"},
    {rung::naive_read, "4:4", "", "", "4:32"},
    {rung::naive_write, "4:32", "", "", "4:4"},
    {rung::smem_conflict_read, "4:4", "4:1", "4:32", "4:4"},
    {rung::smem_conflict_write, "4:4", "4:32", "4:1", "4:4"},
    {rung::smem_padded, "4:4", "4:1", "4:1", "4:4"},
    {rung::smem_swizzled, "4:4", "4:1", "4:1", "4:4"},
    {rung::vec_conflict_read, "16:16", "16:4", "4:32", "4:4"},
    {rung::vec_padded, "16:16", "4:1", "4:1", "4:4"},
    {rung::vec_swizzled, "16:16", "4:1", "4:1", "4:4"},
    {rung::vec_both, "16:16", "16:4", "16:4", "16:16"},
    {rung::tma_store, "16:16", "16:4", "", "128:256"},
    {rung::tma_conflict, "128:256", "4:32", "4:1", "128:256"},
    {rung::tma, "128:512", "16:4", "16:4", "128:256"},
    {rung::registers, "16:16", "", "", "16:16"},
    {rung::register_shuffle, "4:4", "", "", "4:4"},
};

/// True if each lane of a request needs a sector, or a wavefront, of its own.
bool is_worst(rung kernel, memory_space space, bool store) {
  return std::ranges::find(kSignatures, kernel, &signature::kernel)->of(space, store) == "4:32";
}

TEST(signature, of_every_rung) {
  ASSERT_EQ(std::size(kSignatures), kRungs.size());
  for (auto const& each : kSignatures) {
    auto const run = record_rung(each.kernel, 128, 128, 4);
    for (auto const space : {memory_space::global, memory_space::shared})
      for (bool const store : {false, true})
        EXPECT_EQ(costs(run, space, store), each.of(space, store)) << name_of(each.kernel) << (store ? " stores" : " loads");
  }
}

/// Few sectors for the bytes moved: every piece of a row, of which a request has `pieces`, may straddle one more.
bool coalesces(request const& each, int pieces) {
  return sectors(each) <= 2 * std::max(pieces, each.active() * each.bytes() / 32);
}
bool scatters(request const& each) { return sectors(each) == each.active(); }

void check_ragged(rung kernel, std::int64_t rows, std::int64_t cols, int load_bytes, int store_bytes) {
  auto const run = record_rung(kernel, rows, cols, 4);
  auto const where = fmt::format("{} of {}x{}", name_of(kernel), rows, cols);
  auto const& info = info_of(kernel);
  std::int64_t lanes[2] = {}, moved[2] = {};
  for (auto const& each : run.requests) {
    auto const at = fmt::format("{}, line {}, block {}", where, each.lanes.front().place.line, each.block);
    auto const side = each.store() ? info.destination : info.source;
    if (each.space() == memory_space::shared) {
      bool const conflicting = is_worst(kernel, memory_space::shared, each.store());
      ASSERT_EQ(wavefronts(each), conflicting ? each.active() : ideal_wavefronts(each)) << at;
      continue;
    }
    moved[each.store()] += each.bytes_needed();
    if (side == access_kind::boxes) {  // the last rows are cut short
      ASSERT_TRUE(each.box()) << at;
      ASSERT_LE(each.bytes(), 128) << at;
      continue;
    }
    ASSERT_EQ(each.lanes.size(), 32u) << at;  // with those that are off
    lanes[each.store()] += 32 * each.bytes();
    if (each.active() == 0) continue;
    ASSERT_EQ(each.bytes(), each.store() ? store_bytes : load_bytes) << at;
    bool const scattered = is_worst(kernel, memory_space::global, each.store());
    // four threads stand below each other there: single elements meet in half a sector
    bool const half = kernel == rung::registers && (each.store() ? store_bytes : load_bytes) == 4;
    if (half) continue;
    int const pieces = kernel == rung::register_shuffle ? 2 : 1;  // 16 lanes side by side
    ASSERT_TRUE(scattered ? scatters(each) : coalesces(each, pieces)) << at << ": " << sectors(each) << " sectors";
  }
  auto const& tile = run.chosen.tile;
  for (bool const store : {false, true}) {
    EXPECT_EQ(moved[store], rows * cols * 4) << where;
    if (kernel == rung::copy || (store ? info.destination : info.source) == access_kind::boxes)
      continue;  // an edge of a copy is tried twice
    EXPECT_EQ(lanes[store], run.chosen.blocks * tile.rows * tile.cols * 4) << where;
  }
}

TEST(signature, of_every_rung_on_ragged_edges) {
  for (auto const& each : kRungs) {
    bool const read = each.source == access_kind::vectors && each.vector_bytes == 16,
               write = each.destination == access_kind::vectors && each.vector_bytes == 16 && each.sides != vector_sides::one;
    if (!each.uses_tma()) check_ragged(each.id, 83, 163, 4, 4);      // no vector fits
    check_ragged(each.id, 100, 132, read ? 16 : 4, write ? 16 : 4);  // vectors fit; tiles do not
  }
}

/// The addresses of 4-byte shared-memory stores against those of the elements they hold, loaded one by one in the same order.
template <class Address>
void expect_layout(recorded const& run, std::int64_t cols, Address const& address) {
  std::map<int, std::vector<std::uint64_t>> elements, stores;
  for (auto const& each : run.record.accesses) {
    if (each.space == memory_space::global && !each.store)
      for (int byte = 0; byte < each.bytes; byte += 4) elements[each.thread].push_back((each.address - run.source + byte) / 4);
    if (each.space == memory_space::shared && each.store) stores[each.thread].push_back(each.address);
  }
  ASSERT_EQ(int(stores.size()), run.chosen.tile.threads);
  for (auto const& [thread, addresses] : stores) {
    ASSERT_EQ(addresses.size(), elements[thread].size());
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      int const m = int(elements[thread][i]) / int(cols), n = int(elements[thread][i]) % int(cols);
      ASSERT_EQ(addresses[i], address(m, n)) << name_of(run.chosen.kernel) << ", element " << m << ", " << n;
    }
  }
}

TEST(signature, padding_and_swizzle_are_told_apart_by_their_addresses) {
  for (auto const kernel : {rung::smem_padded, rung::vec_padded}) {
    auto const run = record_rung(kernel, 128, 128, 4, {}, 1);
    expect_layout(run, 128, [&](int m, int n) { return std::uint64_t(m * (run.chosen.tile.cols + 1) + n) * 4; });
  }
  for (auto const kernel : {rung::smem_swizzled, rung::vec_swizzled}) {
    auto const run = record_rung(kernel, 128, 128, 4, {}, 1);
    expect_layout(run, 128, [&](int m, int n) { return std::uint64_t(m * run.chosen.tile.cols + (n ^ m % 32)) * 4; });
  }
}

/// How far into their side the active accesses of one kind and width begin.
std::set<std::uint64_t> places(recorded const& run, bool store, int bytes) {
  std::set<std::uint64_t> result;
  for (auto const& each : run.record.accesses)
    if (each.store == store && each.active && each.bytes == bytes)
      result.insert(each.address - (store ? run.destination : run.source));
  return result;
}

TEST(signature, a_copy_is_straight) {
  auto const run = record_rung(rung::copy, 83, 163, 4);
  std::map<std::tuple<int, int, int>, std::uint64_t> loaded;  // by block, thread and occurrence
  for (auto const& each : run.requests)
    for (auto const& lane : each.lanes)
      if (!lane.store) loaded[{each.block, lane.thread, lane.occurrence}] = lane.address - run.source;
  for (auto const& each : run.requests)
    for (auto const& lane : each.lanes) {
      if (lane.store) {
        ASSERT_EQ(lane.address - run.destination, (loaded[{each.block, lane.thread, lane.occurrence}]));
      }
    }
}

TEST(signature, a_copy_moves_the_rest_of_a_row_by_elements) {
  auto const run = record_rung(rung::copy, 1, 1002, 4);
  for (bool const store : {false, true}) {
    auto const vectors = places(run, store, 16);
    EXPECT_EQ(vectors.size(), 250u);
    EXPECT_EQ(*vectors.rbegin(), 249u * 16);
    EXPECT_EQ(places(run, store, 4), (std::set<std::uint64_t>{4000, 4004}));
  }
}

using place = std::pair<std::int64_t, std::int64_t>;

/// The row and column at which the second block starts to load.
place second_tile(rung kernel) {
  auto const run = record_rung(kernel, 2048, 8192, 4, {}, 2);
  std::uint64_t lowest = ~0ull;
  for (auto const& each : run.requests)
    if (each.block == 1 && each.space() == memory_space::global && !each.store())
      for (auto const& lane : each.lanes) lowest = std::min(lowest, (lane.address - run.source) / 4);
  return {lowest / 8192, lowest % 8192};
}

TEST(signature, the_fast_rungs_walk_the_destinations_rows_first) {
  for (auto const& each : kRungs) {
    job const shape{.rows = 2048, .cols = 8192, .source_pitch = 8192, .destination_pitch = each.is_copy ? 8192 : 2048};
    auto const tile = plan_rung(each.id, shape, 4, {}).tile;
    place const down{tile.rows, 0}, across{0, tile.cols};
    EXPECT_EQ(second_tile(each.id), each.id >= rung::vec_both ? down : across) << each.name;
  }
}

/// How many lanes wait for one bank at worst. Scalar loads for vector stores take rows 16 bytes' worth of elements apart, which
/// for 1- and 2-byte elements is too few rows: padding and swizzle tell only 32 consecutive ones apart.
double expected_ways(rung_plan const& chosen) {
  bool const one_side = chosen.kernel == rung::vec_padded || chosen.kernel == rung::vec_swizzled;
  return one_side && chosen.widths.destination > 1 && chosen.element_size < 4 ? 4.0 / chosen.element_size : 1;
}

class conflicts : public testing::TestWithParam<int> {};

TEST_P(conflicts, are_avoided_in_every_choice_of_vectors) {
  int const size = GetParam();
  for (auto const kernel :
       {rung::smem_padded, rung::smem_swizzled, rung::vec_padded, rung::vec_swizzled, rung::vec_both, rung::tma_store, rung::tma})
    for (auto const aligned : {alignment{16, 16}, alignment{16, size}, alignment{size, 16}, alignment{size, size}}) {
      auto const& info = info_of(kernel);
      if ((info.source == access_kind::boxes && aligned.source < 16) ||
          (info.destination == access_kind::boxes && aligned.destination < 16))
        continue;
      auto const run = record_rung(kernel, 512, 512, size, aligned, 1);
      std::map<bool, std::set<double>> ways;  // of stores and loads
      for (auto const& each : run.requests)
        if (each.space() == memory_space::shared) ways[each.store()].insert(double(wavefronts(each)) / ideal_wavefronts(each));
      EXPECT_EQ(ways[true], std::set{1.0}) << "stores of " << describe(run.chosen);
      if (kernel == rung::tma_store) continue;  // its loads are TMA's
      EXPECT_EQ(ways[false], std::set{expected_ways(run.chosen)}) << "loads of " << describe(run.chosen);
    }
}

INSTANTIATE_TEST_SUITE_P(element_sizes, conflicts, testing::Values(1, 2, 4, 8, 16), testing::PrintToStringParamName());

}  // namespace
}  // namespace cornerturn
