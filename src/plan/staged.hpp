#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "plan/candidate.hpp"
#include "problem/pieces.hpp"

namespace cornerturn {

/// The bytes of workspace, and of staging, that the plan of a piece needs. Each holds the packed piece and, after it, the moved
/// piece.
std::int64_t staged_bytes(piece const& each);

/// Plans the pieces of a problem in host memory that a GPU permutes. The plan of a piece has five steps: the CPU packs into
/// staging, a transfer to the workspace, a GPU kernel, a transfer back to staging, and the CPU unpacks.
class staged_planner {
 public:
  staged_planner(gpu_model const& gpu, cpu_tile_hint const& hint) : gpu_(gpu), hint_(hint) {}

  candidate plan(piece const& each);

 private:
  step const& kernel_for(problem const& move);

  gpu_model const& gpu_;
  cpu_tile_hint hint_;
  std::vector<std::pair<problem, step>> kernels_;  ///< few: pieces are alike except at the ends of the modes that are cut
};

/// The steps of a piece's plan by the stages of `run_pipeline`. The steps of `move` are asynchronous.
inline std::span<step const> pack_steps(candidate const& staged) { return std::span(staged.steps).first(1); }
inline std::span<step const> move_steps(candidate const& staged) { return std::span(staged.steps).subspan(1, 3); }
inline std::span<step const> unpack_steps(candidate const& staged) { return std::span(staged.steps).last(1); }

}  // namespace cornerturn
