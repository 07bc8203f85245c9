#pragma once

#include "element/pairs.hpp"
#include "kernel/planes/plan.hpp"
#include "kernel/planes/planes.hpp"
#include "tile/visit_index.hpp"

namespace cornerturn::tile {

/// Calls visit(program) with the program for pixels of `pixel_bytes` bytes.
template <class D, class Visit>
void visit_planes(int pixel_bytes, Visit const& visit) {
  visit_index<kMostPixelBytes - kFewestPixelBytes + 1>(pixel_bytes - kFewestPixelBytes,
                                                       [&]<int I>() { visit(planes<D, kFewestPixelBytes + I>{}); });
}

}  // namespace cornerturn::tile

namespace cornerturn {

/// Calls visit(program, kernel arguments, blocks, bytes of shared memory) with the tile program of a plan.
template <class Visit>
void visit_program(planes_plan const& plan, void const* source, void* destination, Visit const& visit) {
  auto const& operation = plan.operation;
  auto const factors = [&](void const* from) { return from ? static_cast<float const*>(from) + plan.factor_offset : nullptr; };
  element::visit_pair_of(planes_pairs{}, operation, [&]<class S, class D>(element::type_pair<S, D>) {
    tile::planes_args<D> const args{static_cast<S const*>(source) + plan.source_offset,
                                    static_cast<D*>(destination) + plan.destination_offset,
                                    plan.job,
                                    factors(operation.scale),
                                    factors(operation.bias),
                                    float(operation.alpha.real()),
                                    operation.saturate,
                                    plan.sources.as_parameter()};
    tile::visit_planes<D>(plan.pixel_bytes, [&](auto program) { visit(program, args, plan.blocks, 0); });
  });
}

}  // namespace cornerturn
