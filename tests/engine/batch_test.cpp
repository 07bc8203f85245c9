#include "plan/batch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <variant>
#include <vector>

#include "problem/element_types.hpp"
#include "support/random_operation.hpp"
#include "support/slowed.hpp"
#include "support/ways.hpp"

namespace cornerturn {
namespace {

using numbers = std::vector<std::int64_t>;
using enum element_type;

/// Checks the first `ways` candidates for one of `count` arrays, which lie anywhere and may overlap. They are read at multiples of
/// `grain` bytes, and the parts of the destination are `gap` elements apart. Returns the number of launches of the first candidate.
int check_batch(problem const& p, std::size_t count, std::int64_t grain, std::int64_t gap, std::mt19937& generator,
                std::size_t ways = 3) {
  auto const read = source_range(p).high, written = destination_range(p).high, element = p.element_size.destination;
  auto const span = 4 * read / grain + 8;
  auto const source = test::numbered_source(p, span * grain + read, 0);
  auto const stride = written / element + gap, bytes = std::int64_t(count) * stride * element;
  std::vector<void const*> sources(count);
  for (auto& each : sources) each = source.data() + std::int64_t(generator() % unsigned(span)) * grain;
  std::vector<std::byte> expected(std::size_t(bytes) + test::kWaysGuard, std::byte{0xEE});
  if (p.operation) test::mix_in_special_numbers(p.operation->destination, expected);
  auto const untouched = expected;
  auto const part = [&](std::vector<std::byte>& of, std::size_t number) {
    return of.data() + std::int64_t(number) * stride * element;
  };
  for (std::size_t i = 0; i < count; ++i) {
    test::permute_plainly(p, static_cast<std::byte const*>(sources[i]), part(expected, i));
    test::unify_nans(p, part(expected, i));
  }

  auto const least = [](std::int64_t bytes) { return int(std::gcd(bytes, std::int64_t(16))); };
  auto all = candidates_of(canonical(p), {least(grain), least(stride * element)});
  all.resize(std::min(ways, all.size()));
  int launches_of_first = 0;
  for (auto const& way : all) {
    auto result = untouched;
    int launches = 0;
    for_each_launch(only_step(way), {sources, result.data(), stride, element}, [&](step const& each, void const* from, void* to) {
      ++launches;
      host::run({&each, 1}, {from, to});
    });
    for (std::size_t i = 0; i < count; ++i) test::unify_nans(p, part(result, i));
    EXPECT_TRUE(result == expected) << to_string(p) << "\n" << describe(way);
    if (&way == &all.front()) launches_of_first = launches;
  }
  return launches_of_first;
}

/// An image of a batch, to planes with a scale and a bias of each channel.
problem planes_of(numbers const& shape, numbers const& strides, element_type type) {
  element_operation const operation{.source = u8,
                                    .destination = type,
                                    .scale = test::random_factors<float>().data(),
                                    .bias = test::random_factors<float>().data() + test::kFactors,
                                    .factor_strides = {1, 0, 0}};
  return with_operation(permutation(shape, strides, numbers{2, 0, 1}, 1), operation);
}

void check_random_batches(unsigned count) {
  test::for_each_seed(count, [&](unsigned seed) {
    std::mt19937 generator(seed);
    auto const p = test::random_typed_problem(generator);
    auto const grain = p.element_size.source * std::int64_t(1 + generator() % 4);
    check_batch(p, 1 + generator() % 4, grain, std::int64_t(generator() % 4), generator);
  });
}

void check_random_images(unsigned count) {
  test::for_each_seed(count, [&](unsigned seed) {
    std::mt19937 generator(seed);
    constexpr element_type kTypes[] = {f32, f16, bf16, i16};
    auto const channels = std::int64_t(1 + generator() % 4), width = std::int64_t(1 + generator() % 40),
               height = std::int64_t(1 + generator() % 40), vector = generator() % 2 ? std::int64_t(16) : 1;
    auto const pitch = channels * (width * vector + std::int64_t(generator() % 3) * vector);
    auto const p = planes_of({height, width * vector, channels}, {pitch, channels, 1}, kTypes[generator() % 4]);
    auto const grain = std::int64_t(1) << generator() % 5;
    check_batch(p, 2 + generator() % 3, grain, generator() % 2 ? 0 : 8, generator, 2);
  });
}

TEST(batch, of_random_problems_is_each_of_them) { check_random_batches(test::is_slowed() ? 60 : 200); }
TEST(batch, of_random_images_is_each_of_them) { check_random_images(test::is_slowed() ? 30 : 100); }
TEST(batch, slow_of_many_random_problems_is_each_of_them) { check_random_batches(1'500), check_random_images(600); }

TEST(batch, has_one_launch_for_256_images) {
  std::mt19937 generator(3);
  for (auto const type : {f32, f16, bf16, i16}) {
    EXPECT_EQ(check_batch(planes_of({8, 8, 3}, {}, type), 256, 16, 0, generator, 1), 1);
    EXPECT_EQ(check_batch(planes_of({5, 7, 3}, {}, type), 256, 1, 0, generator, 1), 1) << "in single elements";
    EXPECT_EQ(check_batch(planes_of({8, 8, 3}, {}, type), 600, 16, 0, generator, 1), 3);
  }
}

TEST(batch, of_small_images_has_the_plan_of_large_ones) {
  for (auto const type : {f32, f16, bf16})
    for (std::int64_t const side : {16, 32, 64, 224}) {
      auto const chosen = fastest_in_batch(canonical(planes_of({side, side, 3}, {}, type)), {}, h200_model(), 256);
      EXPECT_TRUE(std::holds_alternative<planes_plan>(only_step(chosen).kernel)) << side << ": " << describe(chosen);
    }
}

TEST(batch, has_a_launch_for_each_array_of_a_kernel_without_a_list) {
  std::mt19937 generator(4);
  auto const p = with_operation(permutation(numbers{16, 24}, {}, numbers{1, 0}, 1), {f32, bf16});
  EXPECT_EQ(check_batch(p, 5, 16, 0, generator, 1), 5);
}

TEST(batch, has_no_launch_without_arrays) {
  auto const way = candidates_of(canonical(planes_of({8, 8, 3}, {}, f32)), {}).front();
  for_each_launch(only_step(way), {{}, nullptr, 192, 4}, [](step const&, void const*, void*) { FAIL(); });
}

/// A launch has at most 2^31 - 1 blocks.
TEST(batch, of_huge_arrays_has_launches_of_few_arrays) {
  constexpr std::int64_t kWidth = 1 << 16;
  auto const one = plan_planes(canonical(planes_of({1 << 22, kWidth, 3}, {3 * (kWidth + 16), 3, 1}, f32)), {}).value();
  ASSERT_EQ(one.blocks, 1 << 27);
  std::vector<void const*> const sources(32, &one);
  std::int64_t most = 0, launches = 0;
  for_each_launch(step{one}, {sources, nullptr, 0, 4}, [&](step const& each, void const*, void*) {
    ++launches;
    auto const& plan = std::get<planes_plan>(each.kernel);
    EXPECT_GE(plan.blocks, one.blocks) << "the number of blocks has not overflowed";
    most = std::max<std::int64_t>(most, plan.blocks);
  });
  EXPECT_EQ(launches, 3);
  EXPECT_EQ(most, 15 * std::int64_t(one.blocks));
}

}  // namespace
}  // namespace cornerturn
