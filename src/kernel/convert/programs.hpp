#pragma once

#include <algorithm>
#include <cstddef>

#include "element/pairs.hpp"
#include "kernel/convert/convert.hpp"
#include "kernel/convert/plan.hpp"
#include "tile/visit_index.hpp"

namespace cornerturn::tile {

/// Calls visit(program) with the program of a form.
template <class Change, class Visit>
void visit_convert(convert_form form, Visit const& visit) {
  visit_index<kConvertForms>(int(form), [&]<int I>() {
    if constexpr (is_needed(convert_form(I), sizeof(typename Change::source))) visit(convert<Change, convert_form(I)>{});
  });
}

/// Calls visit(program) with the program of a form, for types that are selected at run time.
template <class Change, class Visit>
void visit_selecting(convert_form form, Visit const& visit) {
  auto const which = std::ranges::find(kSelectingForms, form) - kSelectingForms.begin();
  visit_index<int(kSelectingForms.size())>(int(which), [&]<int I>() {
    constexpr auto kForm = kSelectingForms[I];
    if constexpr (is_needed(kForm, sizeof(typename Change::source))) visit(convert<Change, kForm>{});
  });
}

}  // namespace cornerturn::tile

namespace cornerturn {

/// Calls visit(program, kernel arguments, blocks, bytes of shared memory) with the tile program of a plan.
template <class Visit>
void visit_program(convert_plan const& plan, void const* source, void* destination, Visit const& visit) {
  auto const with = [&]<class Change>(Change const& change, auto const& visit_form) {
    using S = typename Change::source;
    using D = typename Change::destination;
    tile::convert_args<Change> const args{static_cast<S const*>(source) + plan.source_offset,
                                          static_cast<D*>(destination) + plan.destination_offset, plan.job, change};
    visit_form(plan.form, [&](auto program) { visit(program, args, plan.blocks, plan.shared_bytes); });
  };
  bool const is_compiled = element::visit_compiled_pair(
      plan.operation.source, plan.operation.destination, [&]<class S, class D>(element::type_pair<S, D>) {
        using change = tile::typed_change<S, D>;
        with(change(plan.operation), [](convert_form form, auto const& each) { tile::visit_convert<change>(form, each); });
      });
  if (is_compiled) return;
  element::visit_sizes(plan.operation, [&]<int S, int D>() {
    using change = tile::selected_change<S, D>;
    with(change(plan.operation), [](convert_form form, auto const& each) { tile::visit_selecting<change>(form, each); });
  });
}

}  // namespace cornerturn
