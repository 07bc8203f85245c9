#include "kernel/planes/plan.hpp"

#include <gtest/gtest.h>

#include <variant>

#include "plan/choose.hpp"
#include "problem/canonical.hpp"
#include "problem/element_types.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {
namespace {

/// Images of three bytes a pixel, to planes.
problem images(std::int64_t height, std::int64_t width, element_operation const& operation) {
  return canonical(with_operation(permutation(std::array<std::int64_t, 4>{2, height, width, 3}, {},
                                              std::array<std::int64_t, 4>{0, 3, 1, 2}, 1),
                                  operation));
}

bool is_first_candidate(problem const& p) {
  return std::holds_alternative<planes_plan>(candidates_of(p, {}, h200_model()).front().steps.front().kernel);
}

TEST(planes, is_chosen_for_images) {
  using enum element_type;
  for (auto const type : {f32, f16, bf16}) EXPECT_TRUE(is_first_candidate(images(224, 224, {u8, type, 1 / 255.})));
}

/// Blocks of different images are of one class only if the images are at the same place in a cache line.
TEST(planes, of_a_list_has_the_classes_of_its_images) {
  using enum element_type;
  auto one = images(64, 64, {u8, f32, 1 / 255.});
  std::erase_if(one.modes, [](mode const& each) { return each.extent == 2; });
  auto const plan = plan_planes(one, {}).value();
  constexpr std::int64_t kImage = 64 * 64 * 3;
  auto const classes = [&](std::vector<std::int64_t> offsets) {
    return classes_of(with_sources(plan, std::move(offsets), kImage), {0, 0});
  };
  EXPECT_EQ(classes({0, kImage, 5 * kImage}).size(), classes_of(plan, {0, 0}).size());
  EXPECT_EQ(classes({0, kImage + 16, 5 * kImage + 32}).size(), 3 * classes_of(plan, {0, 0}).size());
}

TEST(planes, has_no_plan_for_what_its_vectors_do_not_fit) {
  using enum element_type;
  EXPECT_TRUE(plan_planes(images(224, 224, {u8, f32}), {}));
  EXPECT_FALSE(plan_planes(images(223, 225, {u8, f32}), {})) << "a plane is no whole number of vectors";
  EXPECT_FALSE(plan_planes(images(224, 224, {u8, f32}), {.source = 2})) << "the source is less aligned than a load";
  EXPECT_FALSE(plan_planes(images(224, 224, {u8, f32}), {.destination = 8})) << "the destination is less aligned than a store";
  EXPECT_FALSE(plan_planes(images(224, 224, {u8, f32, 1, 1}), {})) << "old elements count";
  EXPECT_FALSE(plan_planes(images(224, 224, {u8, f64}), {})) << "the types have no kernel";
  auto three_of_four = images(224, 224, {u8, f32});
  for (auto& each : three_of_four.modes)
    if (each.destination_stride == 1) each.source_stride = 4;
  EXPECT_FALSE(plan_planes(three_of_four, {})) << "a load would read a byte past the last pixel's";
  auto reversed = images(224, 224, {u8, f32});
  for (auto& each : reversed.modes)
    if (each.destination_stride == 1) each.source_stride = -3;
  EXPECT_FALSE(plan_planes(reversed, {})) << "pixels are in the reverse order";
}

}  // namespace
}  // namespace cornerturn
