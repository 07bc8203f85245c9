#pragma once

#include "kernel/quantize/plan.hpp"
#include "kernel/quantize/quantize.hpp"

namespace cornerturn {

/// Calls visit(program, kernel arguments, blocks, bytes of shared memory) with the tile program of a plan. The outputs are in the
/// plan.
template <class Visit>
void visit_program(quantize_plan const& plan, void const* source, void*, Visit const& visit) {
  auto const& job = plan.job;
  auto const with = [&]<class S, class D>(S, D) {
    using program = tile::quantize<S, D>;
    visit(program{}, tile::quantize_args<S>{static_cast<S const*>(source), job}, int(job.tile_rows() * job.tile_cols()),
          program::kSharedBytes);
  };
  auto const from = [&]<class S>(S each) {
    job.type == element_type::f8_e4m3fn ? with(each, element::f8_e4m3fn_bits{}) : with(each, element::f8_e5m2_bits{});
  };
  switch (job.source_type) {
    case element_type::f32:
      return from(float{});
    case element_type::f16:
      return from(element::f16_bits{});
    case element_type::bf16:
      return from(element::bf16_bits{});
    case element_type::f8_e4m3fn:
      return with(element::f8_e4m3fn_bits{}, element::f8_e4m3fn_bits{});
    default:
      return with(element::f8_e5m2_bits{}, element::f8_e5m2_bits{});
  }
}

}  // namespace cornerturn
