#include "explain/findings.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "block/host.hpp"
#include "explain/instructions.hpp"

// Kernels with mistakes that people make; each is to be called by its name.

namespace cornerturn {
namespace {

constexpr int kTile = 32;

/// What is found in a kernel of 32 x 32 threads whose tile of 4-byte elements is stored by one layout and loaded by another.
std::vector<finding> through_shared_memory(std::function<int(int, int)> const& stored,
                                           std::function<int(int, int)> const& loaded) {
  recording record;
  host_block block(kTile * kTile, kTile * (kTile + 1) * 4, &record);
  block.run(0, [&] {
    int const m = block.thread() / kTile, n = block.thread() % kTile;
    auto* const tile = block.shared<int, 0>();
    int held = 0;
    block.shared_store<1>(&tile[stored(m, n)], &held);
    block.sync();
    block.shared_load<1>(&tile[loaded(n, m)], &held);
  });
  return findings_of(instructions_of({{1, record}}, 0));
}

int plain(int m, int n) { return m * kTile + n; }
int padded(int m, int n) { return m * (kTile + 1) + n; }
int swizzled_row(int m, int n) { return m * kTile + (n ^ m); }

TEST(findings, are_none_where_padding_or_swizzle_is_used_on_both_sides) {
  EXPECT_TRUE(through_shared_memory(padded, padded).empty());
  EXPECT_TRUE(through_shared_memory(swizzled_row, swizzled_row).empty());
}

TEST(findings, name_a_stride_of_32) {
  auto const found = through_shared_memory(plain, plain);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "stride-32");
  EXPECT_EQ(found[0].instruction, 1);
  EXPECT_NE(found[0].text.find("shared load at findings_test.cpp:"), std::string::npos);
  EXPECT_NE(found[0].text.find(
                "32-way bank conflict: lanes 0..31 all in bank 0, because their stride of 128 bytes is a multiple of 128; "
                "pad the row by 4 bytes or swizzle"),
            std::string::npos)
      << found[0].text;
}

TEST(findings, name_a_swizzle_that_the_load_does_not_use) {
  auto const found = through_shared_memory(swizzled_row, plain);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "unused-swizzle");
  EXPECT_NE(
      found[0].text.find("32-way bank conflict: lanes 0..31 all in bank 0; other accesses to this tile are swizzled, this one "
                         "is not: use one layout"),
      std::string::npos)
      << found[0].text;
}

TEST(findings, count_the_ways_of_other_conflicts) {
  auto const every_other = [](int m, int n) { return (m * kTile + 2 * n) % (kTile * kTile); };
  auto const found = through_shared_memory(every_other, padded);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "bank-conflict");
  EXPECT_NE(found[0].text.find("2-way bank conflict: lanes 0, 16 all in bank 0; pad the row or swizzle"), std::string::npos)
      << found[0].text;
}

/// What is found in a warp's single load of `V` elements a lane from a global address.
template <class T, int V>
std::vector<finding> of_global_load(std::function<std::uintptr_t(int)> const& address, int lanes = 32) {
  recording record{.addresses_only = true, .accesses = {}};
  host_block block(32, 0, &record);
  block.run(0, [&] {
    T held[V];
    int const t = block.thread();
    block.global_load<V>(reinterpret_cast<T const*>(address(t)), held, t < lanes);
  });
  return findings_of(instructions_of({{1, record}}, 0));
}

TEST(findings, name_a_misaligned_vector) {
  auto const found = of_global_load<std::uint32_t, 4>([](int t) { return std::uintptr_t(8 + t * 16); });
  ASSERT_EQ(found.size(), 1u);  // what faults has no other problem
  EXPECT_EQ(found[0].kind, "misaligned-vector");
  EXPECT_NE(found[0].text.find("lane 0 accesses 16 bytes at address 8, which is not a multiple of 16; the GPU faults: "
                               "align the rows, or use vectors of 8 bytes"),
            std::string::npos)
      << found[0].text;
}

TEST(findings, tell_scattered_lanes_from_a_row_that_straddles_sectors) {
  auto const scattered = of_global_load<std::uint32_t, 1>([](int t) { return std::uintptr_t(t * 4096); });
  ASSERT_EQ(scattered.size(), 1u);
  EXPECT_EQ(scattered[0].kind, "scattered");
  EXPECT_NE(scattered[0].text.find("32 sectors per request instead of 4: the lanes' stride is 4096 bytes; give"),
            std::string::npos)
      << scattered[0].text;
  auto const straddling = of_global_load<std::uint32_t, 1>([](int t) { return std::uintptr_t(4 + t * 4); });
  ASSERT_EQ(straddling.size(), 1u);
  EXPECT_EQ(straddling[0].kind, "straddling");
  EXPECT_NE(straddling[0].text.find("5 sectors per request instead of 4: rows begin within a sector"), std::string::npos);
  auto const bytes = of_global_load<std::uint8_t, 1>([](int t) { return std::uintptr_t(4 + t); });
  ASSERT_EQ(bytes.size(), 2u);
  EXPECT_EQ(bytes[0].kind, "straddling");
  EXPECT_EQ(bytes[1].kind, "narrow");
}

/// A thread that loads its 12 bytes in 3 loads uses whole sectors, which are in the L1 cache after the first of them.
TEST(findings, tell_lanes_whose_next_loads_use_the_same_sectors_from_those_that_waste_them) {
  auto const found = [](int loads) {
    recording record{.addresses_only = true, .accesses = {}};
    host_block block(32, 0, &record);
    block.run(0, [&] {
      std::uint32_t held;
      for (int i = 0; i < loads; ++i)
        block.global_load<1>(reinterpret_cast<std::uint32_t const*>(std::uintptr_t(block.thread() * 12 + i * 4)), &held, true);
    });
    auto const instructions = instructions_of({{1, record}}, 0);
    EXPECT_EQ(instructions.front().sectors, 12 * loads);
    EXPECT_EQ(instructions.front().warp_sectors, 12);
    auto const all = findings_of(instructions);
    EXPECT_EQ(all.size(), 1u);
    EXPECT_EQ(all.front().kind, "scattered");
    return all.front().text;
  };
  EXPECT_NE(found(3).find("12 sectors per request instead of 4: the lanes' stride is 12 bytes, but the warp's other loads use "
                          "the same sectors, which the L1 cache then serves; wider loads need fewer requests"),
            std::string::npos)
      << found(3);
  EXPECT_NE(found(1).find("; give neighbouring lanes neighbouring elements, via shared memory"), std::string::npos) << found(1);
}

TEST(findings, say_how_far_apart_the_lanes_with_work_lie) {
  recording record{.addresses_only = true, .accesses = {}};
  host_block block(32, 0, &record);
  block.run(0, [&] {
    std::uint32_t held;
    int const t = block.thread();
    block.global_load<1>(reinterpret_cast<std::uint32_t const*>(std::uintptr_t(t * 16)), &held, t % 4 == 0);
  });
  auto const found = findings_of(instructions_of({{1, record}}, 0));
  EXPECT_NE(found.front().text.find(": the lanes' stride is 64 bytes; "), std::string::npos) << found.front().text;
}

TEST(findings, tell_the_worst_request_from_the_average) {
  recording record;
  host_block block(2 * 32, 32 * 33 * 4, &record);
  block.run(0, [&] {
    int held = 0, t = block.thread();
    block.shared_store<1>(&block.shared<int, 0>()[t < 32 ? t * 32 : t], &held);
  });
  auto const found = findings_of(instructions_of({{1, record}}, 0));
  EXPECT_NE(found.front().text.find("32-way bank conflict at worst, 16.5-way on average: lanes 0..31 "), std::string::npos)
      << found.front().text;
}

TEST(findings, name_lanes_without_work) {
  auto const found = of_global_load<std::uint32_t, 1>([](int t) { return std::uintptr_t(t * 4); }, 8);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "idle-lanes");
  EXPECT_NE(found[0].text.find("8 of 32 lanes are active on average, because tiles extend beyond the matrix"), std::string::npos);
}

}  // namespace
}  // namespace cornerturn
