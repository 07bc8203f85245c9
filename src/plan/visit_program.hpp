#pragma once

#include "plan/gather.hpp"
#include "plan/interleave.hpp"
#include "plan/small.hpp"
#include "plan/unaligned.hpp"
#include "tile/elements.hpp"
#include "tile/gather_programs.hpp"
#include "tile/interleave_programs.hpp"
#include "tile/moving.hpp"
#include "tile/small.hpp"
#include "tile/unaligned.hpp"

namespace cornerturn {

/// Calls visit(program, kernel arguments, blocks, bytes of shared memory) with the tile program of a plan.
template <class Visit>
void visit_program(gather_plan const& plan, void const* source, void* destination, Visit const& visit) {
  visit_element(plan.element_size, [&]<class T>(T) {
    auto const args = tile::moving<T, gather_job>::over(static_cast<T const*>(source) + plan.source_offset,
                                                        static_cast<T*>(destination) + plan.destination_offset, plan.job);
    tile::visit_gather<T>(plan.form, [&](auto program) { visit(program, args, plan.job.tiles, plan.job.shared_bytes); });
  });
}

template <class Visit>
void visit_program(interleave_plan const& plan, void const* source, void* destination, Visit const& visit) {
  visit_element(plan.element_size, [&]<class T>(T) {
    if constexpr (sizeof(T) < 16) {
      auto const args = tile::moving<T, interleave_job>::over(static_cast<T const*>(source) + plan.source_offset,
                                                              static_cast<T*>(destination) + plan.destination_offset, plan.job);
      tile::visit_interleave<T>(plan.few, plan.together, plan.anywhere, [&]<class Program>(Program program) {
        auto const each = plan.anywhere ? 1 : Program::kThreads;
        visit(program, args, (plan.job.count + each - 1) / each, Program::kSharedBytes);
      });
    }
  });
}

template <class Visit>
void visit_program(unaligned_plan const& plan, void const* source, void* destination, Visit const& visit) {
  visit_element(plan.element_size, [&]<class T>(T) {
    if constexpr (sizeof(T) <= 2) {
      auto const args = tile::moving<T, unaligned_job>::over(static_cast<T const*>(source) + plan.source_offset,
                                                             static_cast<T*>(destination) + plan.destination_offset, plan.job);
      tile::visit_unaligned<T>(
          plan.tile, [&]<class Program>(Program program) { visit(program, args, plan.job.count, Program::kSharedBytes); });
    }
  });
}

template <class Visit>
void visit_program(small_plan const& plan, void const* source, void* destination, Visit const& visit) {
  visit_element(plan.element_size, [&]<class T>(T) {
    if constexpr (sizeof(T) < 16) {
      tile::small_matrices<T> const args{static_cast<T const*>(source) + plan.source_offset,
                                         static_cast<T*>(destination) + plan.destination_offset, plan.job};
      tile::visit_small<T>(plan.tile,
                           [&]<class Program>(Program program) { visit(program, args, plan.blocks, Program::kSharedBytes); });
    }
  });
}

}  // namespace cornerturn
