#pragma once

#include <algorithm>

#include "element/pairs.hpp"
#include "kernel/convert/affine.hpp"
#include "kernel/convert/convert.hpp"
#include "kernel/convert/plan.hpp"
#include "problem/element_types.hpp"
#include "tile/visit_index.hpp"

namespace cornerturn::tile {

/// Calls visit(Program<Change, form>{}) for a form of a list.
template <template <class, convert_form> class Program, auto const& Forms, class Change, class Visit>
void visit_form(convert_form form, Visit const& visit) {
  auto const which = std::ranges::find(Forms, form) - Forms.begin();
  visit_index<int(Forms.size())>(int(which), [&]<int I>() {
    constexpr auto kForm = Forms[I];
    if constexpr (is_needed(kForm, sizeof(typename Change::source))) visit(Program<Change, kForm>{});
  });
}

}  // namespace cornerturn::tile

namespace cornerturn {

/// Calls visit(program, kernel arguments, blocks, bytes of shared memory) with the tile program of a plan.
template <class Visit>
void visit_program(convert_plan const& plan, void const* source, void* destination, Visit const& visit) {
  auto const& operation = plan.operation;
  auto const args_of = [&]<class Change>(Change const& change) {
    return tile::convert_args<Change>{static_cast<typename Change::source const*>(source) + plan.source_offset,
                                      static_cast<typename Change::destination*>(destination) + plan.destination_offset, plan.job,
                                      change};
  };
  auto const change = [&]<auto const & Forms, class Change>(Change const& how) {
    tile::visit_form<tile::convert, Forms, Change>(
        plan.form, [&](auto program) { visit(program, args_of(how), plan.blocks, plan.shared_bytes); });
  };
  auto const scale = [&]<auto const & Forms, class Change>(Change const& how) {
    auto const from_offset = [&](void const* factors) -> void const* {
      auto const size = element::selected_types::of(operation).is_wide ? sizeof(double) : sizeof(float);
      return factors ? static_cast<char const*>(factors) + plan.factor_offset * std::int64_t(size) : nullptr;
    };
    tile::affine_args<Change> const args{args_of(how), plan.factors, from_offset(operation.scale), from_offset(operation.bias),
                                         plan.sources.as_parameter()};
    tile::visit_form<tile::convert_affine, Forms, Change>(
        plan.form, [&](auto program) { visit(program, args, plan.blocks, plan.shared_bytes); });
  };
  if (is_affine(operation)) {
    bool const is_compiled =
        element::visit_pair_of(element::compiled_affine_pairs{}, operation, [&]<class S, class D>(element::type_pair<S, D>) {
          scale.template operator()<kAffineForms>(tile::typed_affine<S, D>(operation));
        });
    if (is_compiled) return;
    return element::visit_sizes(operation, [&]<int S, int D>() {
      if constexpr (S < 16 && D < 16) scale.template operator()<kSelectingAffineForms>(tile::selected_affine<S, D>(operation));
    });
  }
  bool const is_compiled = element::visit_compiled_pair(operation, [&]<class S, class D>(element::type_pair<S, D>) {
    change.template operator()<kTypedForms>(tile::typed_change<S, D>(operation));
  });
  if (is_compiled) return;
  element::visit_sizes(
      operation, [&]<int S, int D>() { change.template operator()<kSelectingForms>(tile::selected_change<S, D>(operation)); });
}

}  // namespace cornerturn
