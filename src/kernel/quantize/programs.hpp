#pragma once

#include "kernel/quantize/plan.hpp"
#include "kernel/quantize/quantize.hpp"
#include "kernel/quantize/quantize_amax.hpp"
#include "kernel/quantize/quantize_rows.hpp"

namespace cornerturn {

/// Calls visit(program, kernel arguments, blocks, bytes of shared memory) with the tile program of a plan. `source` is the
/// address of a `quantize_call`, and `destination` that of `line_amax`.
template <class Visit>
void visit_program(quantize_plan const& plan, void const* source, void* destination, Visit const& visit) {
  auto const& call = *static_cast<quantize_call const*>(source);
  auto const job = plan.job(call, destination);
  auto const from = [&]<class S>(S) {
    auto const launch = [&]<class Program>(Program program) {
      visit(program, tile::quantize_args<S>{static_cast<S const*>(call.source), job}, int(plan.blocks()), Program::kSharedBytes);
    };
    auto const launch_to = [&]<class D>(D) {
      if (plan.form == quantize_form::rows)
        launch(tile::quantize_rows<S, D>());
      else
        launch(tile::quantize<S, D>());
    };
    if (plan.form == quantize_form::amax)
      launch(tile::quantize_amax<S>());
    else if constexpr (sizeof(S) == 1)
      launch(tile::quantize<S, S>());
    else
      element::visit_type(job.type, [&]<class D>(D) {
        if constexpr (element::small_float<D> && sizeof(D) == 1) launch_to(D());
      });
  };
  element::visit_type(job.source_type, [&]<class S>(S) {
    if constexpr (element::kIsQuantizable<S>) from(S());
  });
}

}  // namespace cornerturn
