#include "problem/pieces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>

#include "engine/host/host.hpp"
#include "plan/choose.hpp"
#include "problem/canonical.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"
#include "support/message.hpp"
#include "support/numbered.hpp"
#include "support/plain.hpp"
#include "support/random_problem.hpp"
#include "support/run_on_cpu.hpp"
#include "support/seeds.hpp"
#include "support/slowed.hpp"

namespace cornerturn {
namespace {

using mover = void (*)(problem const&, void const*, void*);

void by_cpu(problem const& p, void const* source, void* destination) { test::run_on_cpu(p, source, destination); }
void by_program(problem const& p, void const* source, void* destination) {
  host::run(candidates_of(p, {}).front().steps, {source, destination});
}

/// A buffer of exactly so many bytes, on a 16-byte boundary, so that a sanitizer sees what lies beyond.
struct buffer {
  explicit buffer(std::int64_t bytes) : memory(std::size_t(bytes) + 15), bytes(bytes) {}
  std::byte* data() { return memory.data() + (16 - reinterpret_cast<std::uintptr_t>(memory.data()) % 16) % 16; }
  std::vector<std::byte> memory;
  std::int64_t bytes;
};

bool within(byte_range const& inner, std::int64_t low, std::int64_t high) { return low <= inner.low && inner.high <= high; }

/// Checks that pieces do what the whole does and write nothing twice, within their buffers and the arrays.
void check_pieces(problem const& whole, std::int64_t limit, mover move) {
  auto const read = source_range(whole), written = destination_range(whole);
  auto const source = test::numbered(read.high + 1);
  std::vector<std::byte> expected(std::size_t(written.high) + 64, std::byte{0xEE}), result = expected;
  test::permute_plainly(whole, source.data(), expected.data());

  auto const simplest = canonical(whole);
  std::int64_t bytes = 0;
  auto const pieces = pieces_of(simplest, limit);
  for (std::int64_t i = 0; i < pieces.size(); ++i) {
    auto const each = pieces[i];
    ASSERT_LE(each.moved_bytes, std::max(limit, shared_element_size(simplest)));
    ASSERT_LE(each.packed_bytes, each.moved_bytes);
    ASSERT_EQ(bytes_of(each.unpack), each.moved_bytes);
    ASSERT_EQ(bytes_of(each.move), each.moved_bytes);
    ASSERT_EQ(bytes_of(each.pack), each.packed_bytes);
    ASSERT_TRUE(within(source_range(each.pack), read.low, read.high) &&
                within(destination_range(each.pack), 0, each.packed_bytes));
    ASSERT_TRUE(within(source_range(each.move), 0, each.packed_bytes) &&
                within(destination_range(each.move), 0, each.moved_bytes));
    ASSERT_TRUE(within(source_range(each.unpack), 0, each.moved_bytes) &&
                within(destination_range(each.unpack), written.low, written.high));
    buffer packed(each.packed_bytes), moved(each.moved_bytes);
    test::run_on_cpu(each.pack, source.data(), packed.data());
    move(each.move, packed.data(), moved.data());
    test::run_on_cpu(each.unpack, moved.data(), result.data());
    bytes += each.moved_bytes;
  }
  // As many bytes as there are, and all of them right: none was written twice.
  ASSERT_EQ(bytes, written == byte_range{} ? 0 : bytes_of(simplest));
  ASSERT_TRUE(result == expected) << to_string(whole) << " in pieces of " << limit;
}

TEST(pieces, do_what_the_whole_does_on_random_problems) {
  test::for_each_seed(test::is_slowed() ? 100 : 400, [](unsigned seed) {
    constexpr std::int64_t kLimits[] = {1, 40, 100, 1000, 10'000, 1 << 20};
    auto const p = test::random_problem(seed, {.rank = 6, .extent = seed % 3 ? 5 : 12});
    if (source_range(p).high > 500'000 || destination_range(p).high > 500'000) return;
    auto const limit = kLimits[seed % std::size(kLimits)];
    if (bytes_of(p) / limit > 20'000) return;
    check_pieces(p, limit, by_cpu);
  });
}

TEST(pieces, do_so_by_the_kernels_of_a_gpu) {
  test::for_each_seed(60, [](unsigned seed) {
    auto const p = test::random_problem(seed, {.rank = 5, .extent = 9});
    if (source_range(p).high > 100'000 || destination_range(p).high > 100'000) return;
    check_pieces(p, seed % 2 ? 3000 : 20'000, by_program);
  });
}

std::int64_t count_of(problem const& p, std::int64_t limit) { return pieces_of(p, limit).size(); }

TEST(pieces, are_as_few_as_can_be) {
  problem const turn{.modes = {{1024, 1, 1024}, {1024, 1024, 1}}, .element_size = 4};
  EXPECT_EQ(count_of(turn, 4 << 20), 1);
  EXPECT_EQ(count_of(turn, 1 << 20), 4);
  EXPECT_EQ(count_of({.modes = {{1000, 1, 1}}, .element_size = 16}, 16 * 100), 16);  // 64 elements each, not 100
  EXPECT_EQ(count_of({.modes = {}, .element_size = 4}, 1), 1);
  EXPECT_EQ(count_of({.modes = {{0, 0, 0}}, .element_size = 4}, 100), 0);
}

/// The longest runs that are copied when a piece is packed or unpacked.
std::int64_t run_of(problem const& copy) {
  auto const side_by_side =
      std::ranges::find_if(copy.modes, [](mode const& m) { return m.source_stride == 1 && m.destination_stride == 1; });
  return side_by_side == copy.modes.end() ? 1 : side_by_side->extent;
}

TEST(pieces, keep_runs_long_on_both_sides) {
  constexpr std::int64_t kRows = 1 << 20;
  for (problem const& p : {problem{.modes = {{3, 1, kRows}, {kRows, 3, 1}}, .element_size = 4},
                           problem{.modes = {{kRows, 1, 3}, {3, kRows, 1}}, .element_size = 4}}) {
    auto const first = pieces_of(p, 1 << 20)[0];
    EXPECT_GE(run_of(first.pack), 10'000) << to_string(p);
    EXPECT_GE(run_of(first.unpack), 10'000) << to_string(p);
  }
  problem reversed{.modes = {}, .element_size = 1};
  for (int i = 0; i < 20; ++i) reversed.modes.push_back({2, std::int64_t(1) << i, std::int64_t(1) << (19 - i)});
  auto const first = pieces_of(reversed, 1 << 14)[0];
  EXPECT_GE(run_of(first.pack), 64);
  EXPECT_GE(run_of(first.unpack), 64);
}

TEST(pieces, are_not_cut_small_where_a_gpu_s_memory_is_full) {
  constexpr std::int64_t kMiB = 1 << 20, kBuffers = 6, kLeast = 2 * kBuffers * kMiB;
  problem const large{.modes = {{4096, 1, 4096}, {4096, 4096, 1}}, .element_size = 4};
  problem const small{.modes = {{10, 1, 20}, {20, 10, 1}}, .element_size = 4};
  EXPECT_EQ(room_for_piece(large, 100 * kLeast, kBuffers), 100 * kMiB);
  EXPECT_EQ(room_for_piece(large, kLeast, kBuffers), kMiB);
  EXPECT_EQ(room_for_piece(small, 9600, kBuffers), 800);
  EXPECT_EQ(room_for_piece({.modes = {{0, 0, 0}}, .element_size = 4}, 0, kBuffers), 0);
  auto const said = [](problem const& p, std::int64_t free) {
    return test::message_of([&] { room_for_piece(p, free, kBuffers); }, error_kind::memory);
  };
  EXPECT_EQ(said(large, kLeast - 1),
            "the GPU has 12582911 bytes of free memory; moving this array from and to the host takes 12582912");
  EXPECT_EQ(said(large, 0), "the GPU has 0 bytes of free memory; moving this array from and to the host takes 12582912");
  EXPECT_EQ(said(small, 9599), "the GPU has 9599 bytes of free memory; moving this array from and to the host takes 9600");
}

TEST(pieces, read_what_repeats_once) {
  problem const p{.modes = {{100, 0, 50}, {50, 1, 1}}, .element_size = 8};
  auto const whole = pieces_of(p, 1 << 20);
  ASSERT_EQ(whole.size(), 1);
  EXPECT_EQ(whole[0].packed_bytes, 400);
  EXPECT_EQ(whole[0].moved_bytes, 40'000);
}

}  // namespace
}  // namespace cornerturn
