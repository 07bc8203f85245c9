#include "support/program_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <type_traits>
#include <typeinfo>

#include "engine/host/host.hpp"
#include "kernel/boxes/programs.hpp"
#include "kernel/convert/programs.hpp"
#include "kernel/direct/programs.hpp"
#include "kernel/gather/programs.hpp"
#include "kernel/interleave/programs.hpp"
#include "kernel/panels/programs.hpp"
#include "kernel/planes/programs.hpp"
#include "kernel/rung/programs.hpp"
#include "kernel/small/programs.hpp"
#include "kernel/swap/programs.hpp"
#include "kernel/tiled/programs.hpp"
#include "kernel/unaligned/programs.hpp"
#include "problem/validate.hpp"
#include "support/all_types.hpp"
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

/// Every program that is compiled for a rung or a plan.
name_set compiled_programs() {
  name_set all;
  auto const add = [&]<class Program>(Program) { all.insert(typeid(Program).name()); };
  element::for_each_pair(element::compiled_pairs{}, [&]<class S, class D>(element::type_pair<S, D>) {
    for (auto const form : kTypedForms) tile::visit_form<tile::convert, kTypedForms, tile::typed_change<S, D>>(form, add);
  });
  element::for_each_pair(element::compiled_affine_pairs{}, [&]<class S, class D>(element::type_pair<S, D>) {
    for (auto const form : kAffineForms)
      tile::visit_form<tile::convert_affine, kAffineForms, tile::typed_affine<S, D>>(form, add);
  });
  element::for_each_pair(planes_pairs{}, [&]<class S, class D>(element::type_pair<S, D>) {
    for (int bytes = kFewestPixelBytes; bytes <= kMostPixelBytes; ++bytes) tile::visit_planes<D>(bytes, add);
  });
  for (auto const source : test::kAllTypes)
    for (auto const destination : test::kAllTypes)
      element::visit_sizes({source, destination}, [&]<int S, int D>() {
        for (auto const form : kSelectingForms)
          tile::visit_form<tile::convert, kSelectingForms, tile::selected_change<S, D>>(form, add);
        if constexpr (S < 16 && D < 16) add(tile::convert_affine<tile::selected_affine<S, D>, convert_form::elements>());
      });
  for (int const size : {1, 2, 4, 8, 16})
    visit_element(size, [&]<class T>(T) {
      for (auto const& each : kRungs)
        for (auto const& form : variants_of(each.id, size))
          if (std::ranges::count(tiles_of(each.id, size, form.widths), form.tile))
            visit_variant<T>(each.id, form.widths, form.tile, add);
      for (int form = 0; form < 8; ++form)
        tile::visit_gather<T>({.wide = bool(form & 1), .single = bool(form & 2), .ragged = bool(form & 4)}, add);
      for (int const depth : kDirectDepths)
        for (bool const wide : {false, true})
          for (int const digits : {0, kShortDirectDigits[0], kShortDirectDigits[1]})
            tile::visit_direct<T>(depth, wide, digits, add);
      for (int which = 0; which < int(tiled_widths_of(size).size()); ++which)
        for (int const threads : kTiledThreads) tile::visit_tiled<T>(which, threads, add);
      for (auto const form : {swap_form::vectors, swap_form::elements, swap_form::runs, swap_form::rows})
        tile::visit_swap<T>(form, add);
      add(tile::boxes<T>{});
      for (bool const is_aligned : {false, true}) tile::visit_panels<T>(is_aligned, add);
      for (auto const exchange : {slot_exchange::after, slot_exchange::before}) tile::visit_panels_exchange<T>(exchange, add);
      if constexpr (sizeof(T) < 16) {
        for (int rows = 2; rows <= 8; ++rows)
          for (int form = 0; form < 4; ++form) tile::visit_interleave<T>(rows, form & 1, form & 2, add);
      }
      for (int which = 0; which < small_tiles_of(size); ++which) tile::visit_small<T>(which, add);
      if constexpr (sizeof(T) <= 2)
        for (int which = 0; which < unaligned_tiles(size); ++which) tile::visit_unaligned<T>(which, add);
    });
  return all;
}

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
                [&]<class Program, class Args>(Program, Args const&, int, int) { name = typeid(Program).name(); });
  return name;
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
      run.insert(with_kernel(each.way.steps.back(), [](auto const& plan) { return program_of(plan); }));
  auto const compiled = compiled_programs();
  EXPECT_EQ(difference(compiled, run), name_set()) << "no case runs these";
  EXPECT_EQ(difference(run, compiled), name_set()) << "compiled_programs() does not list these";
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
