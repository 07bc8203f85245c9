#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "cornerturn/error.hpp"
#include "plan/choose.hpp"
#include "plan/cpu_candidates.hpp"
#include "problem/canonical.hpp"
#include "problem/element_types.hpp"
#include "problem/permuted.hpp"
#include "problem/pieces.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"
#include "support/seeds.hpp"

// Problems that no memory holds: each is planned, or refused by a message. The sanitizers look for counts that overflow.

namespace cornerturn {
namespace {

/// A permutation of up to 2^62 elements, dealt to the modes by powers of two and then changed by a little; both sides may be
/// padded, and run backwards.
problem huge_problem(std::mt19937& generator) {
  auto const draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(generator);
  };
  constexpr std::int64_t kSizes[] = {1, 2, 4, 8, 16, 3, 12};
  problem p{.element_size = kSizes[draw(0, std::ssize(kSizes) - 1)]};
  std::int64_t bits = draw(0, 3) ? draw(30, 47) : draw(30, 62);
  for (auto rank = draw(1, draw(0, 1) ? 4 : 40); rank > 0 && bits > 0; --rank) {
    auto const share = rank == 1 ? bits : std::min(bits, draw(1, 1 + 2 * bits / rank));
    bits -= share;
    p.modes.push_back({std::max<std::int64_t>(1, (std::int64_t(1) << share) + (draw(0, 1) ? draw(-2, 2) : 0)), 0, 0});
  }
  for (auto const stride : {&mode::source_stride, &mode::destination_stride}) {
    std::ranges::shuffle(p.modes, generator);
    bool const padded = draw(0, 3) == 0, far = draw(0, 15) == 0;
    std::int64_t step = 1;
    for (mode& m : p.modes) {
      if (padded && draw(0, 1)) step += draw(1, 40);
      if (far && draw(0, 3) == 0 && step < std::int64_t(1) << 42) step <<= draw(1, 20);
      m.*stride = draw(0, 9) ? step : -step;
      if (__builtin_mul_overflow(step, m.extent, &step) || step > std::int64_t(1) << 62) step = 1;
    }
  }
  return p;
}

/// The error's message, where there is one. Any other exception is none of ours.
template <class Call>
std::optional<std::string> refusal_of(Call const& call) {
  try {
    call();
    return std::nullopt;
  } catch (error const& refused) {
    EXPECT_NE(std::string(refused.what()).find("; it must be "), std::string::npos) << refused.what();
    return refused.what();
  }
}

std::int64_t product_of(auto const& job, digit_range const& digits) {
  std::int64_t product = 1;
  for (int i = digits.begin; i < digits.end; ++i) {
    EXPECT_GT(job.digits[std::size_t(i)].radix.divisor, 1);
    product *= job.digits[std::size_t(i)].radix.divisor;
  }
  return product;
}

/// Checks that the digits of a launch's blocks count as many as there are.
void check_huge(candidate const& each, problem const& p) {
  if (auto const* const gather = std::get_if<gather_plan>(&each.steps.front().kernel)) {
    EXPECT_EQ(product_of(gather->job, gather->job.tile_digits), gather->job.tiles) << to_string(p);
  } else if (auto const* const direct = std::get_if<direct_plan>(&each.steps.front().kernel)) {
    EXPECT_EQ(product_of(direct->job, direct->job.element_digits), direct->job.elements) << to_string(p);
    auto const parts = product_of(direct->job, direct->job.part_digits);
    EXPECT_EQ(parts * direct->job.tiles.divisor, direct->blocks) << to_string(p);
    EXPECT_GE(std::int64_t(direct->job.tiles.divisor) * kDirectThreads * direct->depth, direct->job.elements) << to_string(p);
  } else if (auto const* const tiled = std::get_if<tiled_plan>(&each.steps.front().kernel)) {
    EXPECT_EQ(product_of(tiled->job, tiled->job.tile_digits), tiled->blocks) << to_string(p);
    double bytes = double(shared_element_size(p));
    for (auto const& m : p.modes) bytes *= double(m.extent);
    EXPECT_GE(double(tiled->blocks) * tiled->elements * tiled->element_size, bytes) << to_string(p);
  } else if (auto const* const unaligned = std::get_if<unaligned_plan>(&each.steps.front().kernel)) {
    EXPECT_EQ(product_of(unaligned->job, unaligned->job.tile_digits), unaligned->job.tiles) << to_string(p);
  } else if (auto const* const interleave = std::get_if<interleave_plan>(&each.steps.front().kernel)) {
    EXPECT_EQ(product_of(interleave->job, interleave->job.index_digits), interleave->job.count) << to_string(p);
  } else if (auto const* const rung = std::get_if<rung_plan>(&each.steps.front().kernel)) {
    auto const& tile = rung->tile;
    EXPECT_GE(double(rung->blocks) * tile.rows * tile.cols * tile.tiles,
              double(rung->shape.rows) * double(rung->shape.cols) * double(rung->shape.batch))
        << to_string(p);
  } else if (auto const* const cpu = std::get_if<cpu_plan>(&each.steps.front().kernel)) {
    auto const most = double(cpu->tasks()) * double(cpu->tile.bytes());
    EXPECT_GE(most, double(cpu->bytes)) << to_string(p);
  }
  EXPECT_FALSE(describe(each).empty());
}

TEST(huge, problems_are_planned_or_refused) {
  int planned = 0, refused = 0;
  test::for_each_seed(1000, [&](unsigned seed) {
    std::mt19937 generator(seed);
    auto const p = huge_problem(generator);
    if (refusal_of([&] { validate(p); })) return;
    auto const simplest = canonical(p);
    auto const aligned = [&] { return std::max(1 << generator() % 5, 1); };
    alignment const both{aligned(), aligned()};
    auto const said = refusal_of([&] {
      for (auto const& each : candidates_of(simplest, both)) check_huge(each, simplest);
    });
    ++(said ? refused : planned);
    for (cpu_tile_hint const& hint :
         {cpu_tile_hint{}, cpu_tile_hint{.columns = 4096, .row = 8 << 10, .run = 256, .staged = 2, .direct = true}})
      refusal_of([&] {
        for (auto const& each : cpu_candidates_of(simplest, hint)) check_huge(each, simplest);
      });
    auto const pieces = pieces_of(simplest, 64 << 20);
    EXPECT_GT(pieces.size(), 0) << to_string(simplest);
    EXPECT_GT(pieces[pieces.size() - 1].move.modes.size() + 1, 0u);
  });
  if (!std::getenv("CORNERTURN_SEED")) {
    EXPECT_GT(std::min(planned, refused), 50);
  }
}

TEST(huge, problems_whose_elements_change_are_planned_or_refused) {
  int planned = 0, refused = 0;
  test::for_each_seed(300, [&](unsigned seed) {
    std::mt19937 generator(seed);
    auto const p = with_operation(huge_problem(generator), {element_type::f32, element_type::bf16, 0.5});
    if (refusal_of([&] { validate(p); })) return;
    auto const simplest = canonical(p);
    auto const said = refusal_of([&] {
      for (auto const& each : candidates_of(simplest, {})) EXPECT_FALSE(describe(each).empty());
    });
    if (said && said->starts_with("rank is ")) {
      EXPECT_GT(simplest.modes.size(), std::size_t(tiled_job::kMostDigits)) << *said;
    }
    ++(said ? refused : planned);
    refusal_of([&] {
      for (auto const& each : cpu_candidates_of(simplest, {})) EXPECT_FALSE(describe(each).empty());
    });
  });
  if (!std::getenv("CORNERTURN_SEED")) {
    EXPECT_GT(std::min(planned, refused), 20);
  }
}

std::string said_of(problem const& p) {
  return refusal_of([&] { candidates_of(canonical(p), {}); }).value_or("");
}
std::string said_of_cpu(problem const& p) {
  return refusal_of([&] { plan_cpu(canonical(p)); }).value_or("");
}

TEST(huge, refusals_name_what_is_too_large) {
  using numbers = std::vector<std::int64_t>;
  EXPECT_EQ(said_of(permutation(numbers{std::int64_t(1) << 43}, {}, numbers{0}, 8)),
            "the array's number of tiles is 4294967296; it must be at most 2147483647 on a GPU");
  EXPECT_EQ(said_of(permutation(numbers{std::int64_t(1) << 41, 64}, {}, numbers{1, 0}, 1)),
            "the array's number of tiles is 4294967296; it must be at most 2147483647 on a GPU");
  EXPECT_EQ(
      said_of({.modes = {{1000, std::int64_t(1) << 40, 1000}, {1000, 1, 1}}, .element_size = 4}),
      "the range of the source's bytes is 0 to 4393648464596896; it must be within 140737488355328 of its pointer on a GPU");
  EXPECT_EQ(said_of(with_operation(permutation(numbers{std::int64_t(1) << 43}, {}, numbers{0}, 1),
                                   {element_type::f64, element_type::f32})),
            "the array is of shape (8796093022208,), byte strides (8,) to (4,), elements of 4 bytes from 8 (f64 to f32); it must "
            "be one of at most 2147483647 tiles, whose elements are at most 2147483647 apart, if a GPU changes elements");
  EXPECT_EQ(said_of_cpu(permutation(numbers{std::int64_t(1) << 40, 1 << 20}, {}, numbers{1, 0}, 1)),
            "size is 1152921504606846976 bytes; it must be at most 144115188075855872 on a CPU");
  EXPECT_EQ(said_of_cpu({.modes = {{1000, std::int64_t(1) << 50, 1000}, {1000, 1, 1}}, .element_size = 4}),
            "the range of the source's bytes is 0 to 4499096027743129504; it must be within 144115188075855872 of its pointer on "
            "a CPU");
}

}  // namespace
}  // namespace cornerturn
