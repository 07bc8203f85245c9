#include "support/program_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <type_traits>
#include <typeinfo>

#include "all_programs.hpp"
#include "engine/host/host.hpp"
#include "problem/validate.hpp"
#include "support/plain.hpp"
#include "support/special_numbers.hpp"
#include "support/with_workspace.hpp"

namespace cornerturn {
namespace {

using name_set = std::set<std::string>;

/// Calls visit(program) with the program of a rung's variant, for any use.
template <class T, class Visit>
void visit_variant(rung id, access_widths widths, tile_shape const& tile, Visit const& visit) {
  tile::visit_program<T, variant_use::plans>(id, widths, tile, visit);
  tile::visit_program<T, variant_use::ladder>(id, widths, tile, visit);
  tile::visit_program<T, variant_use::sweeps>(id, widths, tile, visit);
}

/// The programs that `visit_program` can start for a plan: each is listed before the tests begin, because `program_of` names it.
name_set& compiled_programs() {
  static name_set all;
  return all;
}
template <class Program>
struct compiled {
  static inline std::string const name = *compiled_programs().insert(typeid(Program).name()).first;
};

std::string program_of(rung_plan const& plan) {
  std::string name;
  visit_element(plan.element_size, [&]<class T>(T) {
    visit_variant<T>(plan.kernel, plan.widths, plan.tile, [&]<class Program>(Program) { name = typeid(Program).name(); });
  });
  return name;
}
template <class Plan>
std::string program_of(Plan const& plan) {
  std::string name;
  alignas(16) std::byte memory[1 << 16];
  visit_program(plan, memory, memory,
                [&]<class Program, class Args>(Program, Args const&, int, int) { name = compiled<Program>::name; });
  return name;
}

/// Those, and the programs of the rungs in all variants that this build has.
name_set all_programs() {
  auto all = compiled_programs();
  for (int const size : {1, 2, 4, 8, 16})
    for (auto const& each : kRungs)
      for (auto const& form : variants_of(each.id, size))
        if (std::ranges::count(tiles_of(each.id, size, form.widths), form.tile))
          all.insert(program_of(
              rung_plan{.kernel = each.id, .widths = form.widths, .tile = form.tile, .element_size = size, .shape = {}}));
  return all;
}

name_set difference(name_set const& all, name_set const& without) {
  name_set result;
  std::ranges::set_difference(all, without, std::inserter(result, result.end()));
  return result;
}

/// compute-sanitizer runs the same cases.
TEST(program_cases, run_every_compiled_program) {
  name_set run;
  for (auto const& family : test::program_families())
    for (auto const& each : test::program_cases(family))
      run.insert(with_plan_of<all_families>(each.way.steps.back(), [](auto const& plan) { return program_of(plan); }));
  EXPECT_EQ(difference(all_programs(), run), name_set()) << "no case runs these";
}

class program_cases_of : public testing::TestWithParam<std::string> {};

TEST_P(program_cases_of, follow_the_definition_on_the_host) {
  for (auto const& each : test::program_cases(GetParam())) {
    auto const source = test::numbered_source(each.moved, source_range(each.moved).high, 0);
    std::vector<std::byte> result(std::size_t(destination_range(each.moved).high)), expected(result.size());
    test::permute_plainly(each.moved, source.data(), expected.data());
    test::unify_nans(each.moved, expected.data());
    if (each.is_in_place()) std::ranges::copy(source, result.begin());
    test::run_with_workspace(each.way, {source.data(), result.data()},
                             [](auto const& steps, plan_memory const& memory) { host::run(steps, memory); });
    test::unify_nans(each.moved, result.data());
    ASSERT_TRUE(result == expected) << describe(each.way);
  }
}

INSTANTIATE_TEST_SUITE_P(every, program_cases_of, testing::ValuesIn(test::program_families()));

}  // namespace
}  // namespace cornerturn
