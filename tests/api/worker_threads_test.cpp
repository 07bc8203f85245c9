#include "cornerturn/worker_threads.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <vector>

#include "cornerturn/cornerturn.h"
#include "cornerturn/error.hpp"
#include "cornerturn/inplace.hpp"
#include "cornerturn/plan.hpp"
#include "support/iota.hpp"
#include "support/message.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kSide = 1024;
constexpr plan_options kByWorkers{.processor = processor_kind::cpu};

std::vector<int> transposed(std::vector<int> const& matrix) {
  std::vector<int> result(matrix.size());
  for (std::int64_t r = 0; r < kSide; ++r)
    for (std::int64_t c = 0; c < kSide; ++c) result[std::size_t(c * kSide + r)] = matrix[std::size_t(r * kSide + c)];
  return result;
}

/// Does all parts on the caller's thread, from the last to the first, and notes how many there are.
worker_threads serial(int count, int* parts = nullptr) {
  return {.parallel_for =
              [=](int given, std::function<void(int)> const& part) {
                if (parts) *parts = given;
                for (int index = given; index-- > 0;) part(index);
              },
          .count = count};
}

TEST(worker_threads, do_the_parts_of_a_plan) {
  auto const source = test::iota<int>(kSide * kSide);
  auto const plan = plan_permute({kSide, kSide}, {1, 0}, sizeof(int), kByWorkers);
  for (int const count : {1, 2, 3}) {
    std::vector<int> result(source.size());
    int parts = 0;
    plan.run_on(serial(count, &parts), source.data(), result.data());
    EXPECT_EQ(result, transposed(source)) << count;
    EXPECT_EQ(parts, count == 1 ? 0 : count);  // the caller does a single part itself
  }
  auto const limited = plan_permute({kSide, kSide}, {1, 0}, sizeof(int), {.processor = processor_kind::cpu, .threads = 2});
  int parts = 0;
  std::vector<int> result(source.size());
  limited.run_on(serial(8, &parts), source.data(), result.data());
  EXPECT_EQ(parts, 2);
}

TEST(worker_threads, do_the_parts_of_a_plan_in_place) {
  auto const source = test::iota<int>(kSide * kSide);
  auto data = source;
  int parts = 0;
  plan_permute_inplace({kSide, kSide}, {1, 0}, sizeof(int), {.processor = processor_kind::cpu})
      .run_on(serial(3, &parts), data.data());
  EXPECT_EQ(data, transposed(source));
  EXPECT_EQ(parts, 3);
}

TEST(worker_threads, are_refused_if_they_cannot_work) {
  auto const source = test::iota<int>(kSide * kSide);
  std::vector<int> result(source.size());
  auto const plan = plan_permute({kSide, kSide}, {1, 0}, sizeof(int), kByWorkers);
  auto const said = [&](worker_threads const& workers) {
    return test::message_of([&] { plan.run_on(workers, source.data(), result.data()); });
  };
  EXPECT_EQ(said({}), "workers.parallel_for is empty; it must be a function");
  EXPECT_EQ(said(serial(0)), "workers.count is 0; it must be 1 or more");
  EXPECT_EQ(said({.parallel_for = [](int, auto const& part) { part(0), part(0); }, .count = 2}),
            "workers.parallel_for called part 0 of 2 2 times; it must call each part once");
  EXPECT_EQ(said({.parallel_for = [](int, auto const& part) { part(1), part(7); }, .count = 2}),
            "workers.parallel_for called part 0 of 2 0 times; it must call each part once");
  EXPECT_THROW(plan.run_on({.parallel_for = [](int, auto const&) { throw std::runtime_error("busy"); }, .count = 2},
                           source.data(), result.data()),
               std::runtime_error);
  EXPECT_EQ(test::message_of([&] { plan.run_on(serial(2), nullptr, result.data()); }),
            "source is null; it must be an address, since there is something to move");
}

TEST(worker_threads, of_c) {
  auto const source = test::iota<int>(kSide * kSide);
  std::vector<int> result(source.size());
  std::array const shape{kSide, kSide}, axes{std::int64_t(1), std::int64_t(0)};
  cornerturn_plan* plan = nullptr;
  cornerturn_options options = CORNERTURN_OPTIONS_INIT;
  options.processor = CORNERTURN_CPU;
  ASSERT_EQ(
      cornerturn_plan_permute(&plan, 2, shape.data(), nullptr, axes.data(), nullptr, cornerturn_bytes(sizeof(int)), &options),
      CORNERTURN_OK);
  int calls = 0;
  cornerturn_workers workers{[](void* context, std::int32_t count, void (*part)(void*, std::int32_t), void* state) {
                               ++*static_cast<int*>(context);
                               for (std::int32_t index = 0; index < count; ++index) part(state, index);
                             },
                             &calls, 3};
  EXPECT_EQ(cornerturn_plan_run_on(plan, &workers, source.data(), result.data()), CORNERTURN_OK);
  EXPECT_EQ(result, transposed(source));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(cornerturn_plan_run_on(plan, nullptr, source.data(), result.data()), CORNERTURN_BAD_ARGUMENT);
  cornerturn_plan_destroy(plan);
}

}  // namespace
}  // namespace cornerturn
