#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

#include "base/round.hpp"
#include "cpu/run.hpp"
#include "kernel/decisions.hpp"
#include "machine/cpu_model.hpp"
#include "problem/exchange.hpp"

namespace cornerturn {

/// A number of equal parts, and the bytes from the start of each part to the next.
struct repetition {
  std::int64_t count = 1, stride = 0;
};

/// How the CPU swaps the runs of squares in place. A tile is a square of runs, or of equal parts of long runs. Two tiles across
/// the diagonal from each other are a pair, and are read and written together. A tile on the diagonal is its own pair.
struct cpu_swap {
  static constexpr std::string_view family = "cpu-swap";
  static constexpr int version = 1;

  std::int64_t extent = 0;  ///< runs along each side of a square
  std::int64_t run = 1;     ///< bytes of a run
  std::int64_t pitch = 0;   ///< bytes from one row of runs to the next
  std::int64_t offset = 0;  ///< bytes from the caller's pointer to the first square
  repetition inner, outer;  ///< the squares within an array, and the arrays
  std::int64_t tile = 1;    ///< runs along each side of a tile
  std::int64_t part = 1;    ///< bytes of a run that a tile has; the last part of a run may be smaller
  std::int64_t bytes = 0;   ///< bytes of all squares
  thread_limits threads;

  std::int64_t tiles_along() const { return ceil_div(extent, tile); }                   ///< tiles along each side of a square
  std::int64_t parts() const { return ceil_div(run, part); }                            ///< parts of a run
  std::int64_t pairs() const { return tiles_along() * (tiles_along() + 1) / 2; }        ///< pairs of tiles of one square and part
  std::int64_t tasks() const { return outer.count * inner.count * parts() * pairs(); }  ///< pairs of tiles of all squares

  auto parameters() const { return std::tuple(outer.count, inner.count, extent, run, tile, part); }

  static plan_decisions<cpu_swap> decisions();
};

/// Plans an exchange of equal sides, whose bytes can be counted in 64 bits. Arrays have one panel.
cpu_swap plan_cpu_swap(placed_exchange const& all, cpu_limits const& limits = {});

std::string describe(cpu_swap const& plan);

namespace cpu {

/// Runs a plan in place with the best enabled vector instructions of this processor. It allocates no memory, except to start
/// threads.
void run(cpu_swap const& plan, void const* source, void* destination, run_context const& context = {});

}  // namespace cpu
}  // namespace cornerturn
