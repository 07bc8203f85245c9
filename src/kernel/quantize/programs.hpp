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
  job.source_type == element_type::f32   ? from(float{})
  : job.source_type == element_type::f16 ? from(element::f16_bits{})
                                         : from(element::bf16_bits{});
}

}  // namespace cornerturn
