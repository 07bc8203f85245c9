#pragma once

#include "kernel/packed/packed.hpp"
#include "kernel/packed/plan.hpp"

namespace cornerturn {

/// Calls visit(program, kernel arguments, blocks, bytes of shared memory) with the tile program of a plan.
template <class Visit>
void visit_program(packed_plan const& plan, void const* source, void* destination, Visit const& visit) {
  tile::packed_args const args{static_cast<char const*>(source), static_cast<char*>(destination), plan.job};
  auto const launch = [&]<int Bits>() {
    using program = tile::packed<Bits>;
    visit(program(), args, plan.job.tiles, program::kSharedBytes);
  };
  if (plan.bits == 4)
    launch.template operator()<4>();
  else if (plan.bits == 2)
    launch.template operator()<2>();
  else
    launch.template operator()<1>();
}

}  // namespace cornerturn
