#pragma once

#include "kernel/quantize/plan.hpp"
#include "kernel/quantize/quantize.hpp"
#include "kernel/quantize/quantize_amax.hpp"
#include "kernel/quantize/quantize_rows.hpp"

namespace cornerturn {

/// Calls visit(program, kernel arguments, blocks, bytes of shared memory) with the tile program of a plan. The outputs are in the
/// plan.
template <class Visit>
void visit_program(quantize_plan const& plan, void const* source, void*, Visit const& visit) {
  auto const& job = plan.job;
  auto const from = [&]<class S>(S) {
    auto const launch = [&]<class Program>(Program program) {
      visit(program, tile::quantize_args<S>{static_cast<S const*>(source), job}, int(plan.blocks()), Program::kSharedBytes);
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
    else if (job.type == element_type::f8_e4m3fn)
      launch_to(element::f8_e4m3fn_bits());
    else
      launch_to(element::f8_e5m2_bits());
  };
  switch (job.source_type) {
    case element_type::f32:
      return from(float{});
    case element_type::f16:
      return from(element::f16_bits{});
    case element_type::bf16:
      return from(element::bf16_bits{});
    case element_type::f8_e4m3fn:
      return from(element::f8_e4m3fn_bits{});
    default:
      return from(element::f8_e5m2_bits{});
  }
}

}  // namespace cornerturn
