#include "cornerturn/inplace.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "cornerturn/cache.hpp"
#include "cornerturn/cornerturn.h"
#include "cornerturn/info.hpp"
#include "support/guarded.hpp"
#include "support/inplace.hpp"
#include "support/message.hpp"
#include "support/rectangles.hpp"
#include "support/sanitized.hpp"
#include "support/seeds.hpp"
#include "support/slowed.hpp"

namespace cornerturn {
namespace {

void by_the_library(std::byte* data, test::square_problem const& p) { permute_inplace(data, p.shape, p.axes, p.element_size); }

TEST(permute_inplace, transposes_a_square) {
  std::array<int, 9> values{0, 1, 2, 3, 4, 5, 6, 7, 8};
  permute_inplace(values.data(), {3, 3}, {1, 0}, sizeof(int));
  EXPECT_EQ(values, (std::array{0, 3, 6, 1, 4, 7, 2, 5, 8}));
  permute_inplace(values.data(), {3, 3}, {-1, -2}, sizeof(int));
  EXPECT_EQ(values, (std::array{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

/// Extents around the sides of squares of vectors and of tiles, for every element size.
TEST(permute_inplace, follows_the_definition_for_every_element_size) {
  for (std::int64_t size = 1; size <= 16; ++size)
    for (std::int64_t const n : {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 97, 127, 128, 129, 130})
      for (std::size_t const shift : {0, 1, 8, 16})
        test::check_inplace(test::squares_with(1, n, 1, 1, size), shift, by_the_library);
}

/// Extents around the sides of tiles, which are 512 elements or fewer.
TEST(permute_inplace, follows_the_definition_beyond_a_tile) {
  for (std::int64_t const size : {1, 2, 3, 4, 8, 12, 16})
    for (std::int64_t const n : {255, 256, 257, 511, 512, 513, 521})
      for (std::size_t const shift : {std::size_t(0), std::size_t(size), std::size_t(16)})
        test::check_inplace(test::squares_with(1, n, 1, 1, size), shift, by_the_library);
}

TEST(permute_inplace, moves_batches_and_long_runs) {
  for (std::int64_t const size : {1, 4, 6, 16})
    for (std::int64_t const n : {2, 5, 40})
      for (std::int64_t const run : {1, 3, 16, 5000}) {
        if (n == 40 && run == 5000) continue;
        test::check_inplace(test::squares_with(3, n, 2, run, size), 4, by_the_library);
      }
}

TEST(permute_inplace, follows_the_definition_on_random_squares) {
  test::for_each_seed(4000, [](unsigned seed) {
    auto const p = test::random_squares(seed);
    if (p.bytes() <= 400'000) test::check_inplace(p, seed % 3 ? 16 : seed % 64, by_the_library);
  });
}

/// Several threads share an array of more than 1 MB.
TEST(permute_inplace, shares_squares_among_threads) {
  auto const moved_by = [](int threads) {
    return [=](std::byte* data, test::square_problem const& p) {
      permute_inplace(data, p.shape, p.axes, p.element_size, {.threads = threads});
    };
  };
  for (int const threads : {1, 2, 3, 7})
    for (auto const& p : {test::squares_with(1, 1031, 1, 1, 4), test::squares_with(70, 100, 1, 1, 8),
                          test::squares_with(3, 300, 2, 1, 12), test::squares_with(1, 3, 1, 300000, 4)})
      test::check_inplace(p, 16, moved_by(threads));
}

TEST(permute_inplace, touches_nothing_beside_the_array) {
  using beside = test::guarded::beside;
  for (std::int64_t const size : {1, 2, 4, 5, 8, 16})
    for (std::int64_t const n : {3, 16, 33, 64, 100, 130})
      for (auto const where : {beside::first, beside::last}) {
        auto const p = test::squares_with(2, n, 1, 1, size);
        test::guarded const memory(std::size_t(p.bytes()), where);
        by_the_library(memory.data(), p);
      }
}

TEST(permute_inplace, does_nothing_where_there_is_nothing_to_move) {
  permute_inplace(nullptr, {0, 0}, {1, 0}, 4);
  permute_inplace(nullptr, {3, 0, 5}, {1, 2, 0}, 4);
  permute_inplace(nullptr, {2, 3}, {0, 1}, 4);
  permute_inplace(nullptr, {}, {}, 4);
  std::array<int, 6> values{0, 1, 2, 3, 4, 5};
  permute_inplace(values.data(), {1, 2, 3}, {1, 2, 0}, sizeof(int));
  permute_inplace(values.data(), {6, 1}, {1, 0}, sizeof(int));
  EXPECT_EQ(values, (std::array{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(plan_permute_inplace({6, 1}, {1, 0}, 4).describe(), "nothing to move");
  EXPECT_EQ(plan_permute_inplace({6, 1}, {1, 0}, 4).explain().unavailable, "there is nothing to move");
  plan_permute_inplace({6, 1}, {1, 0}, 4).run(nullptr);
}

TEST(permute_inplace, names_what_is_wrong) {
  std::vector<int> values(64);
  std::iota(values.begin(), values.end(), 0);
  auto const before = values;
  auto const said = [&](index_list shape, index_list axes, std::int64_t size = 4, inplace_options const& options = {}) {
    return test::refused_by([&] { permute_inplace(values.data(), shape, axes, size, options); });
  };
  constexpr auto kLong = (std::int64_t(1) << 38) - 45;  // a prime number
  EXPECT_EQ(said({3, kLong, 2}, {2, 1, 0}),
            (test::refused{"axes", "(2, 1, 0) for an array of shape (3, 274877906899, 2)",
                           "a sequence of exchanges of two groups of axes, the longer of at most 8388608 bytes; permute moves "
                           "the array to a second one by any axes"}));
  EXPECT_EQ(said({kLong, 3}, {1, 0}),
            (test::refused{"axes", "1099511627596 bytes",
                           "at most 8388608 bytes to be exchanged in place; permute moves the array to a second one"}));
  EXPECT_EQ(said({2, 2}, {1, 0}, 4, {.workspace = -2}),
            (test::refused{"workspace", "-2", "0 or more, or -1 for the usual limit"}));
  EXPECT_EQ(said({2, 2}, {1, 1}), (test::refused{"axes", "(1, 1)", "a permutation of 0 to 1 for an array of rank 2"}));
  EXPECT_EQ(said({2, 2}, {0}), (test::refused{"axes", "(0)", "a permutation of 0 to 1 for an array of rank 2"}));
  EXPECT_EQ(said({2, -2}, {1, 0}), (test::refused{"extents", "-2", "0 or more"}));
  EXPECT_EQ(said({2, 2}, {1, 0}, 0), (test::refused{"element_size", "0", "1 or more"}));
  EXPECT_EQ(said({2, 2}, {1, 0}, 4, {.threads = -1}), (test::refused{"threads", "-1", "0 or more"}));
  EXPECT_EQ(said({std::int64_t(1) << 32, std::int64_t(1) << 32}, {1, 0}),
            (test::refused{"size", "4294967296 x 4294967296 elements", "at most 2^63 - 1 elements"}));
  EXPECT_EQ(test::refused_by([&] {
              permute_inplace(nullptr, {2, 2}, {1, 0}, 4);
            }),
            (test::refused{"data", "null", "an address, since there is something to move"}));
  if (auto const why = info().gpu_problem; !why.empty()) {
    EXPECT_EQ(said({2, 2}, {1, 0}, 4, {.processor = processor_kind::gpu}),
              (test::refused{"processor", "gpu", "cpu or automatic here: " + why}));
    EXPECT_EQ(said({2, 2}, {1, 0}, 4, {.device = 0}), (test::refused{"device", "0", "-1 here: " + why}));
  }
  EXPECT_EQ(values, before);
}

/// One panel of a thread's size has 1 MB. Larger rectangles take two passes, and a workspace if no cut fills them.
TEST(permute_inplace, transposes_rectangles) {
  for (auto const& p :
       {test::rectangles_with(1, 3, 5, 1, 4), test::rectangles_with(1, 1000, 70, 1, 4), test::rectangles_with(1, 1024, 512, 1, 4),
        test::rectangles_with(1, 512, 1024, 1, 8), test::rectangles_with(1, 1009, 757, 1, 1),
        test::rectangles_with(1, 1009, 757, 1, 2), test::rectangles_with(1, 757, 1009, 1, 16),
        test::rectangles_with(3, 640, 384, 1, 4), test::rectangles_with(2, 601, 499, 1, 3),
        test::rectangles_with(2, 499, 601, 5, 1), test::rectangles_with(5, 101, 307, 1, 12),
        test::rectangles_with(1, 20011, 37, 1, 4), test::rectangles_with(1, 37, 20011, 1, 4),
        test::rectangles_with(1, 48, 12000, 1, 2), test::rectangles_with(70000, 3, 2, 1, 4)})
    for (int const threads : {1, 3})
      test::check_inplace(p, 16, [=](std::byte* data, test::square_problem const& given) {
        permute_inplace(data, given.shape, given.axes, given.element_size, {.threads = threads});
      });
}

/// The longer side of these has more bytes than the longest panel.
TEST(permute_inplace, transposes_skinny_rectangles) {
  for (auto const& p : {test::rectangles_with(1, 3'000'000, 3, 1, 4), test::rectangles_with(1, 3, 3'000'000, 1, 4),
                        test::rectangles_with(1, 2'999'999, 3, 1, 4), test::rectangles_with(1, 3, 2'999'999, 1, 4),
                        test::rectangles_with(2, 1'300'021, 7, 1, 8), test::rectangles_with(2, 7, 1'300'021, 1, 8),
                        test::rectangles_with(1, 2'500'009, 2, 1, 12), test::rectangles_with(1, 5, 1'000'003, 3, 5)})
    for (int const threads : test::is_slowed() ? std::vector{3} : std::vector{1, 3})
      test::check_inplace(p, 4, [=](std::byte* data, test::square_problem const& given) {
        permute_inplace(data, given.shape, given.axes, given.element_size, {.threads = threads});
      });
}

TEST(permute_inplace, follows_the_definition_on_random_rectangles) {
  test::for_each_seed(400, [](unsigned seed) {
    auto const p = test::random_rectangles(seed, seed % 4 ? 100'000 : 3'000'000);
    test::check_inplace(p, seed % 3 ? 16 : seed % 64, by_the_library);
  });
}

TEST(permute_inplace, touches_nothing_beside_rectangles) {
  using beside = test::guarded::beside;
  for (std::int64_t const size : {1, 2, 4, 5, 8, 16})
    for (auto const where : {beside::first, beside::last})
      for (auto const& p : {test::rectangles_with(2, 33, 50, 1, size), test::rectangles_with(1, 709, 907, 1, size)}) {
        test::guarded const memory(std::size_t(p.bytes()), where);
        by_the_library(memory.data(), p);
      }
}

/// The bytes that a call without a workspace is said to need.
std::int64_t least_workspace(std::function<void()> const& call) {
  auto const [argument, value, allowed] = test::refused_by(call);
  EXPECT_EQ(argument + value, "workspace0");
  constexpr std::string_view kBefore = "at least ";
  EXPECT_TRUE(allowed.starts_with(kBefore)) << allowed;
  return std::atoll(allowed.c_str() + kBefore.size());
}

TEST(inplace_plan, has_no_more_workspace_than_it_may) {
  auto const planned = [](std::int64_t m, std::int64_t n, std::int64_t workspace) {
    return plan_permute_inplace({m, n}, {1, 0}, 4, {.processor = processor_kind::cpu, .workspace = workspace});
  };
  EXPECT_EQ(planned(4096, 1024, 0).workspace_bytes(), 0);
  EXPECT_EQ(planned(100, 200, 0).workspace_bytes(), 0);
  auto const least = least_workspace([&] { planned(3001, 2003, 0); });
  EXPECT_EQ(planned(3001, 2003, least).workspace_bytes(), least);
  EXPECT_FALSE(test::message_of([&] { planned(3001, 2003, least - 1); }).empty());
  EXPECT_LE(planned(3001, 2003, -1).workspace_bytes(), 8 << 20);
  auto const enough = least_workspace([&] { planned(2'999'999, 3, 0); });
  EXPECT_EQ(planned(2'999'999, 3, enough).workspace_bytes(), enough);
}

/// One exchange of these sides needs 11776 bytes, and a sequence of exchanges of their divisors 512.
TEST(inplace_plan, names_the_workspace_of_divided_sides) {
  auto const planned = [](std::int64_t workspace) {
    return plan_permute_inplace({28793, 218}, {1, 0}, 3, {.processor = processor_kind::cpu, .workspace = workspace});
  };
  for (std::int64_t const workspace : {0, 511})
    EXPECT_EQ(test::refused_by([&] { planned(workspace); }),
              (test::refused{"workspace", std::to_string(workspace),
                             "at least 512 bytes where axes is (1, 0) for an array of shape (28793, 218)"}));
  EXPECT_EQ(planned(512).workspace_bytes(), 512);
}

TEST(inplace_plan, divides_sides_that_are_too_long) {
  inplace_plan_options const without{.processor = processor_kind::cpu, .workspace = 0};
  for (auto const& axes : {std::vector<std::int64_t>{2, 0, 1}, {1, 2, 0}}) {
    auto const plan = plan_permute_inplace({1024, 1024, 1024}, axes, 16, without);
    EXPECT_EQ(plan.workspace_bytes(), 0);
    auto const text = plan.describe();
    EXPECT_LT(text.find("swap"), text.rfind("swap")) << text;
  }
  EXPECT_NO_THROW(plan_permute_inplace({1000, 1200, 1400}, {2, 1, 0}, 16, without));
}

TEST(inplace_plan, takes_the_callers_workspace) {
  auto const p = test::rectangles_with(1, 1009, 757, 1, 4);
  auto const plan = plan_permute_inplace(p.shape, p.axes, p.element_size, {.processor = processor_kind::cpu});
  std::vector<std::max_align_t> workspace(std::size_t(plan.workspace_bytes()) / sizeof(std::max_align_t) + 1);
  test::check_inplace(p, 4, [&](std::byte* data, auto const&) { plan.run(data, nullptr, workspace.data()); });
  int value = 0;
  EXPECT_EQ(test::refused_by([&] { plan.run(&value, nullptr, reinterpret_cast<void*>(24)); }).allowed, "a multiple of 16 bytes");
}

TEST(inplace_plan, has_its_workspace_outside_the_array) {
  // Primes, so that rows and columns are saved, and more than one panel.
  auto const plan = plan_permute_inplace({2003, 1511}, {1, 0}, 4, {.processor = processor_kind::cpu});
  constexpr std::size_t kElements = 2003 * 1511, kAligned = (kElements + 3) / 4 * 4;
  auto const workspace = std::size_t(plan.workspace_bytes());
  ASSERT_GT(workspace, 16u);
  std::vector<std::max_align_t> memory((kAligned * 4 + workspace) / sizeof(std::max_align_t) + 2);
  auto* const data = reinterpret_cast<std::byte*>(memory.data());
  auto const said = [&](std::size_t offset) { return test::refused_by([&] { plan.run(data, nullptr, data + offset); }); };
  EXPECT_EQ(said(kAligned * 4 - 16).argument, "workspace");
  EXPECT_TRUE(said(0).allowed.starts_with("apart from data, [0x")) << said(0).allowed;
  EXPECT_EQ(said(kAligned * 4), test::refused());
}

/// In a child, whose memory is limited to what it has.
TEST(inplace_plan, leaves_the_array_untouched_if_no_workspace_can_be_allocated) {
  if (test::is_sanitized()) GTEST_SKIP() << "the sanitizer ends the process where an allocation fails";
  constexpr std::int64_t m = 5003, n = 3001;
  auto const plan = plan_permute_inplace({m, n}, {1, 0}, 4, {.processor = processor_kind::cpu, .threads = 1});
  ASSERT_GT(plan.workspace_bytes(), 100'000);
  std::vector<std::uint32_t> values(std::size_t(m * n));
  std::iota(values.begin(), values.end(), 0u);
  auto const child = fork();
  if (child == 0) {
    rlimit const none{0, 0};
    std::vector<std::unique_ptr<std::byte[]>> rest;  // what the allocator still has
    setrlimit(RLIMIT_AS, &none);
    try {
      for (;;) rest.push_back(std::make_unique_for_overwrite<std::byte[]>(50'000));
    } catch (std::bad_alloc const&) {
    }
    bool is_untouched = false;
    try {
      plan.run(values.data());
    } catch (std::bad_alloc const&) {
      is_untouched = true;
      for (std::size_t i = 0; i < values.size(); ++i) is_untouched &= values[i] == i;
    }
    _exit(is_untouched ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(permute_inplace, keeps_its_plans_in_the_cache) {
  cache_clear();
  std::vector<int> values(16);
  for (int i = 0; i < 3; ++i) permute_inplace(values.data(), {4, 4}, {1, 0}, sizeof(int));
  EXPECT_EQ(cache_info().hits, 2u);
  EXPECT_EQ(cache_info().misses, 1u);
}

TEST(inplace_plan, runs_and_describes_itself) {
  std::array<int, 4> values{0, 1, 2, 3};
  auto const plan = plan_permute_inplace({2, 2}, {1, 0}, sizeof(int), {.processor = processor_kind::cpu, .threads = 1});
  plan.run(values.data());
  EXPECT_EQ(values, (std::array{0, 2, 1, 3}));
  EXPECT_NE(plan.describe().find("swap 2x2: 1 square of 2 x 2 runs of 4 bytes"), std::string::npos) << plan.describe();
  EXPECT_EQ(test::refused_by([&] { plan.run(nullptr); }),
            (test::refused{"data", "null", "an address, since there is something to move"}));
  EXPECT_EQ(test::refused_by([] {
              plan_permute_inplace({2, 2}, {1, 0}, 4, {.alignment = 3});
            }),
            (test::refused{"alignment", "3", "a power of two"}));
}

TEST(inplace_plan, lists_the_steps_of_all_exchanges) {
  auto const plan = plan_permute_inplace({30, 30, 20, 700}, {1, 0, 3, 2}, 4, {.processor = processor_kind::cpu});
  auto const text = plan.describe();
  EXPECT_NE(text.find("swap"), std::string::npos) << text;
  EXPECT_NE(text.find("panels"), std::string::npos) << text;
}

/// The exchanges of a plan share the workspace. No plan has less than the refusal says.
TEST(inplace_plan, has_the_workspace_of_its_largest_exchange) {
  test::square_problem const p{{2003, 3, 1999}, {2, 1, 0}, 4};
  auto const planned = [&](std::int64_t workspace) {
    return plan_permute_inplace(p.shape, p.axes, p.element_size, {.processor = processor_kind::cpu, .workspace = workspace});
  };
  auto const least = least_workspace([&] { planned(0); });
  EXPECT_EQ(planned(least).workspace_bytes(), least);
  EXPECT_FALSE(test::message_of([&] { planned(least - 1); }).empty());
  std::vector<std::max_align_t> workspace(std::size_t(least) / sizeof(std::max_align_t) + 1);
  test::check_inplace(p, 4, [&](std::byte* data, auto const&) { planned(least).run(data, nullptr, workspace.data()); });
}

TEST(inplace_plan, takes_any_alignment_on_the_cpu) {
  std::array<std::byte, 5> bytes{std::byte{9}, std::byte{0}, std::byte{1}, std::byte{2}, std::byte{3}};
  auto const expected = std::array{std::byte{9}, std::byte{0}, std::byte{2}, std::byte{1}, std::byte{3}};
  plan_permute_inplace({2, 2}, {1, 0}, 1, {.processor = processor_kind::cpu, .alignment = 16}).run(bytes.data() + 1);
  EXPECT_EQ(bytes, expected);
}

TEST(inplace_plan, explains_the_kernel_of_a_gpu) {
  auto const found = plan_permute_inplace({4096, 4096}, {1, 0}, 4, {.processor = processor_kind::cpu}).explain();
  EXPECT_EQ(found.rung, "swap");
  EXPECT_EQ(found.blocks, 65 * 32);
  EXPECT_TRUE(found.findings.empty()) << found.findings.front().text;
  for (auto const& each : found.instructions) {
    EXPECT_EQ(each.sectors, each.ideal_sectors) << each.line;
    EXPECT_EQ(each.wavefronts, each.ideal_wavefronts) << each.line;
  }
}

TEST(inplace_plan, explains_the_kernels_of_rectangles) {
  auto const found = plan_permute_inplace({4096, 2048}, {1, 0}, 4, {.processor = processor_kind::cpu}).explain();
  EXPECT_TRUE(found.rung == "panels; swap" || found.rung == "swap; panels" || found.rung == "panels") << found.rung;
  EXPECT_GT(found.blocks, 0);
  EXPECT_GT(found.seconds, 0);
  for (auto const& each : found.instructions) {
    if (each.space == memory_space::shared) continue;
    EXPECT_EQ(each.sectors, each.ideal_sectors) << each.file << ':' << each.line;
  }
  auto const skinny = plan_permute_inplace({1'000'003, 16}, {1, 0}, 4, {.processor = processor_kind::cpu}).explain();
  EXPECT_NE(skinny.rung.find("panels; boxes"), std::string::npos) << skinny.rung;
  auto const long_side = plan_permute_inplace({1'000'003, 1009}, {1, 0}, 4, {.processor = processor_kind::cpu}).explain();
  EXPECT_EQ(long_side.unavailable, "an H200 has no kernel for this permutation in place");
}

TEST(permute_inplace, has_a_c_interface) {
  std::array<int, 4> values{0, 1, 2, 3};
  std::array<std::int64_t, 2> const shape{2, 2}, axes{1, 0}, twice{1, 1};
  EXPECT_EQ(cornerturn_permute_inplace(values.data(), 2, shape.data(), axes.data(), 4, nullptr, nullptr), CORNERTURN_OK);
  EXPECT_EQ(values, (std::array{0, 2, 1, 3}));
  EXPECT_EQ(cornerturn_permute_inplace(values.data(), 2, shape.data(), twice.data(), 4, nullptr, nullptr),
            CORNERTURN_BAD_ARGUMENT);
  EXPECT_NE(std::string(cornerturn_last_error()).find("axes is (1, 1)"), std::string::npos);
}

}  // namespace
}  // namespace cornerturn
