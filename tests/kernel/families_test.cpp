#include "kernel/families.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <variant>

#include "inplace/plan.hpp"
#include "plan/choose.hpp"
#include "problem/canonical.hpp"
#include "problem/validate.hpp"
#include "support/program_cases.hpp"

namespace cornerturn {
namespace {

/// The kernels for which `test::program_cases` has cases of a family: the rungs for the ladder, otherwise the family's own name.
std::vector<std::string> cases_of(std::string_view family) {
  auto names = test::program_families();
  if (family == rung_plan::family)
    std::erase_if(names, [](auto const& name) { return !rung_named(name); });
  else
    std::erase_if(names, [&](auto const& name) { return name != family; });
  return names;
}

TEST(kernel_families, have_names_of_their_own) {
  std::set<std::string_view> names;
  for (auto const& each : kRungs) EXPECT_TRUE(names.insert(each.name).second) << each.name;
  all_families::for_each([&]<class Plan>() { EXPECT_TRUE(names.insert(Plan::family).second) << Plan::family; });
}

/// The compiler checks that a row has every function of the concept. This test calls each of them.
TEST(kernel_families, are_planned_run_on_the_host_recorded_and_described) {
  auto const& gpu = h200_model();
  all_families::for_each([&]<class Plan>() {
    static_assert(kernel_family<Plan>);
    auto const names = cases_of(Plan::family);
    ASSERT_FALSE(names.empty()) << Plan::family << " has no cases for the host, the GPU and compute-sanitizer";
    bool is_candidate = false;
    for (auto const& name : names)
      for (auto const& each : test::program_cases(name)) {
        auto const* const plan = std::get_if<Plan>(&each.way.steps.back().kernel);
        ASSERT_TRUE(plan) << name;
        EXPECT_EQ(name_of(*plan), name);
        EXPECT_TRUE(describe(*plan).starts_with(name)) << describe(*plan);
        EXPECT_GT(idea_of(*plan).size(), 0u);
        EXPECT_GT(expected_seconds(*plan, gpu), 0) << describe(*plan);
        for (auto const& found : (each.is_in_place() ? one_step_inplace : candidates_of)(canonical(each.moved), {}, gpu))
          is_candidate |= std::holds_alternative<Plan>(found.steps.front().kernel);
      }
    EXPECT_TRUE(is_candidate) << Plan::family << " is never a candidate";
  });
}

/// The GPU tests enqueue these while a slow launch runs.
TEST(kernel_families, move_small_arrays_in_one_launch) {
  all_families::for_each([&]<class Plan>() {
    auto const& facts = test::kernel_facts();
    auto const known = std::ranges::find(facts, Plan::family, &test::family_facts::name);
    ASSERT_NE(known, facts.end()) << Plan::family;
    auto const p = known->small();
    EXPECT_LE(std::max(source_range(p).high, destination_range(p).high), 64 << 10) << Plan::family;
    bool const is_in_place = inplace_families::has<Plan>;
    auto const all = (is_in_place ? one_step_inplace : candidates_of)(canonical(p), {}, h200_model());
    EXPECT_TRUE(std::ranges::any_of(all, [](auto const& way) { return std::holds_alternative<Plan>(only_step(way).kernel); }))
        << Plan::family;
  });
}

}  // namespace
}  // namespace cornerturn
