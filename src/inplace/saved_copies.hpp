#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "inplace/rectangle.hpp"
#include "kernel/alignment.hpp"
#include "plan/step.hpp"

namespace cornerturn {

/// The copies of the saved parts to the workspace, and from there to their places.
struct saved_copies {
  std::vector<step> save, restore;
};

/// make_copy(problem, alignment) returns the step of a copy, or nothing if the copies are not wanted after all.
template <class MakeCopy>
std::optional<saved_copies> copies_of(rectangle_passes const& passes, alignment const& aligned, MakeCopy const& make_copy) {
  using enum buffer_role;
  constexpr int kWorkspaceAlign = 16;
  saved_copies result;
  for (auto const& each : passes.saved) {
    std::optional<step> copy = make_copy(each.save, alignment{aligned.destination, kWorkspaceAlign});
    if (!copy) return std::nullopt;
    copy->source = {destination}, copy->destination = {workspace, each.offset};
    result.save.push_back(*std::move(copy));
  }
  for (auto const& each : passes.saved) {
    std::optional<step> copy = make_copy(each.restore, alignment{kWorkspaceAlign, aligned.destination});
    if (!copy) return std::nullopt;
    copy->source = {workspace, each.offset}, copy->destination = {destination};
    result.restore.push_back(*std::move(copy));
  }
  return result;
}

/// All steps in order: copies of the saved parts to the workspace, both passes, copies from the workspace. `slots` is the step
/// that exchanges slots, if there is one.
std::vector<step> steps_of(std::optional<step> slots, step panel, bool swaps_first, saved_copies copies);

}  // namespace cornerturn
