#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/candidate.hpp"

namespace cornerturn::test {

/// Runs a candidate in place, by run(steps, memory), with a workspace of exactly its size.
template <class Run>
void run_with_workspace(candidate const& way, std::byte* data, Run const& run) {
  std::vector<std::byte> workspace(std::size_t(way.workspace_bytes) + 64, std::byte{0xEE});
  auto* const aligned = workspace.data() + -reinterpret_cast<std::uintptr_t>(workspace.data()) % 16;
  run(std::span<step const>(way.steps), plan_memory{.destination = data, .workspace = aligned});
  auto const is_kept = std::all_of(aligned + way.workspace_bytes, workspace.data() + workspace.size(),
                                   [](std::byte each) { return each == std::byte{0xEE}; });
  EXPECT_TRUE(is_kept) << "bytes behind the workspace are changed: " << describe(way);
}

}  // namespace cornerturn::test
