#include "engine/cpu/ladder/rungs.hpp"

#include <fmt/format.h>

#include <limits>
#include <vector>

#include "cpu/machine.hpp"
#include "cpu/tiles/tiles.hpp"
#include "engine/cpu/ladder/blocked.hpp"
#include "engine/cpu/ladder/naive.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "tile/elements.hpp"

namespace cornerturn::cpu {
namespace {

cpu_plan planned(matrix const& shape, cpu_tile_hint const& hint) {
  return plan_cpu(
      canonical(permutation(std::vector{shape.rows, shape.cols}, {}, std::vector<std::int64_t>{1, 0}, shape.element_size)), hint);
}

std::string tile_of(cpu_plan const& plan, matrix const& shape) {
  return fmt::format("{}x{}", plan.tile.rows, plan.tile.row_bytes() / shape.element_size);
}

/// Runs a plan on one thread.
runner alone(cpu_plan const& plan, matrix const& shape) {
  return {[plan](void const* source, void* destination) { run_alone(plan, source, destination); }, tile_of(plan, shape)};
}

/// Runs a loop over the elements, on one thread.
template <class Loop>
runner looped(matrix const& shape, std::string const& tile, Loop loop) {
  runner result{.run = {}, .tile = tile};
  visit_element(shape.element_size, [&]<class T>(T) {
    result.run = [shape, loop](void const* source, void* destination) {
      loop(static_cast<T const*>(source), static_cast<T*>(destination), shape.rows, shape.cols);
    };
  });
  return result;
}

}  // namespace

runner prepare_naive(matrix const& shape) {
  return looped(shape, "", [](auto... given) { naive(given...); });
}

runner prepare_blocked(matrix const& shape) {
  return looped(shape, fmt::format("{0}x{0}", kBlockSide), [](auto... given) { blocked(given...); });
}

/// Transposes tiles in vector registers.
runner prepare_vector(matrix const& shape) {
  return alone(planned(shape, {.streamed_above = std::numeric_limits<std::int64_t>::max()}), shape);
}

/// Transposes tiles into an image in the level 2 cache, which is streamed in whole cache lines, so that no line is read before it
/// is overwritten.
runner prepare_streaming(matrix const& shape) { return alone(planned(shape, {.streamed_above = 0}), shape); }

/// Runs the engine's estimated plan on several threads, with non-temporal stores if the result is larger than the caches.
runner prepare_threads(matrix const& shape) {
  auto const plan = planned(shape, usual_tile_hint());
  return {[plan](void const* source, void* destination) { run(plan, source, destination); }, tile_of(plan, shape),
          threads_for(plan)};
}

}  // namespace cornerturn::cpu
