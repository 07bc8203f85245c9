#include "engine/gpu/host_memory.hpp"

#include <fmt/format.h>

#include <cstring>
#include <random>
#include <vector>

#include "cornerturn/cornerturn.hpp"
#include "cuda/handles.hpp"
#include "gpu/gpu_test.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"
#include "support/message.hpp"
#include "support/plain.hpp"
#include "support/random_problem.hpp"
#include "support/scratch.hpp"
#include "support/seeds.hpp"

namespace cornerturn {
namespace {

using gpu_host_memory = test::on_gpu<testing::Test>;

constexpr std::size_t kHostGuard = 64;

/// Runs a problem in pieces of so many bytes, and compares all bytes around the destination too.
void check_pieces(problem const& p, unsigned seed, std::int64_t most_bytes) {
  std::mt19937 random(seed);
  std::vector<std::byte> source(std::size_t(source_range(p).high) + kHostGuard),
      expected(std::size_t(destination_range(p).high) + kHostGuard, std::byte(0xEE));
  for (auto& byte : source) byte = std::byte(random());
  auto result = expected;
  auto const shift = seed % 17;  // the arrays need no alignment
  if (std::size_t(destination_range(p).high) + shift > result.size()) return;
  test::permute_plainly(p, source.data() + shift, expected.data() + shift);
  double last = 0;
  gpu::permute_host_memory(
      canonical(p), source.data() + shift, result.data() + shift,
      [&](double share) {
        EXPECT_GT(share, last);
        last = share;
      },
      most_bytes);
  ASSERT_TRUE(result == expected) << to_string(p) << " in pieces of " << most_bytes;
  ASSERT_EQ(last, destination_range(p) == byte_range{} ? 0 : 1);
}

TEST_F(gpu_host_memory, follows_the_definition_on_random_problems) {
  test::for_each_seed(300, [](unsigned seed) {
    problem const p = test::random_problem(seed, {.rank = 6, .extent = 9});
    if (source_range(p).high > 1 << 20 || destination_range(p).high > 1 << 20) return;
    auto const bytes = std::max<std::int64_t>(destination_range(p).high, 1);
    check_pieces(p, seed, bytes / (1 + seed % 12) + 1);
  });
}

TEST_F(gpu_host_memory, moves_more_pieces_than_are_in_flight) {
  for (auto const& [shape, axes] : std::initializer_list<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>>{
           {{1000, 1200}, {1, 0}}, {{500'000, 3}, {1, 0}}, {{3, 500'000}, {1, 0}}, {{16, 60, 50, 30}, {3, 1, 2, 0}}})
    for (std::int64_t const pieces : {1, 2, 3, 4, 40})
      check_pieces(permutation(shape, {}, axes, 4), unsigned(pieces), 4 * 1'500'000 / pieces);
}

TEST_F(gpu_host_memory, serves_one_shot_calls_that_ask_for_it) {
  std::vector<int> source(70 * 130 * 11), result(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = int(i);
  permute(source.data(), result.data(), {70, 130, 11}, {2, 0, 1}, sizeof(int), {.processor = processor_kind::gpu});
  for (std::size_t i = 0; i < 70 * 130; ++i)
    for (std::size_t k = 0; k < 11; ++k) ASSERT_EQ(result[k * 70 * 130 + i], source[i * 11 + k]);
  transpose(source.data(), result.data(), 70 * 11, 130, sizeof(int), {.processor = processor_kind::gpu});
  EXPECT_EQ(result[1], source[130]);
}

TEST_F(gpu_host_memory, is_not_cut_small_where_the_gpu_is_full) {
  std::vector<device_memory> taken;
  for (std::size_t bytes = std::size_t(1) << 40; bytes >= 1 << 20;) {
    try {
      taken.push_back(allocate_device(bytes));
    } catch (error const&) {
      bytes /= 2;
    }
  }
  std::vector<std::byte> source(1 << 24), result(1 << 24);
  problem const p{.modes = {{4096, 1, 4096}, {4096, 4096, 1}}, .element_size = 1};
  auto const said = test::message_of([&] { gpu::permute_host_memory(p, source.data(), result.data()); }, error_kind::memory);
  EXPECT_TRUE(said.ends_with(" of free memory; moving this array from and to the host takes 12582912")) << said;
}

TEST_F(gpu_host_memory, stops_where_it_is_told_to) {
  std::vector<std::byte> source(1 << 20), result(1 << 20);
  struct stopped {};
  problem const p{.modes = {{1024, 1, 1024}, {1024, 1024, 1}}, .element_size = 1};
  EXPECT_THROW(gpu::permute_host_memory(
                   p, source.data(), result.data(), [](double) { throw stopped{}; }, 1 << 16),
               stopped);
}

TEST_F(gpu_host_memory, serves_files_of_any_rank) {
  test::scratch const folder;
  std::vector<std::int64_t> const shape{7, 5, 11, 3, 13};
  std::string header = "{'descr': '<i2', 'fortran_order': False, 'shape': (7, 5, 11, 3, 13), }";
  header.resize(117, ' ');
  std::vector<std::int16_t> values(7 * 5 * 11 * 3 * 13), expected(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::int16_t(i);
  test::permute_plainly(permutation(shape, {}, std::vector<std::int64_t>{4, 1, 3, 0, 2}, 2),
                        reinterpret_cast<std::byte const*>(values.data()), reinterpret_cast<std::byte*>(expected.data()));
  folder.put("in.npy", std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" +
                           std::string(reinterpret_cast<char const*>(values.data()), 2 * values.size()));
  auto const report = transpose_file(folder / "in.npy", folder / "out.npy",
                                     {.axes = std::vector<std::int64_t>{4, 1, 3, 0, 2}, .processor = processor_kind::gpu});
  EXPECT_EQ(report.processor, "gpu");
  auto const written = folder.get("out.npy");
  ASSERT_GE(written.size(), 2 * values.size());
  EXPECT_EQ(std::memcmp(written.data() + written.size() - 2 * values.size(), expected.data(), 2 * values.size()), 0);
}

}  // namespace
}  // namespace cornerturn
