#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/candidate.hpp"

namespace cornerturn::test {

/// Runs a candidate on memory of the host, by run(steps, memory), with a workspace of exactly its size. Returns false if a byte
/// after the workspace was written.
template <class Run>
bool keeps_to_workspace(candidate const& way, plan_memory memory, Run const& run) {
  std::vector<std::byte> workspace(std::size_t(way.workspace_bytes) + 64, std::byte{0xEE});
  auto* const aligned = workspace.data() + -reinterpret_cast<std::uintptr_t>(workspace.data()) % 16;
  memory.workspace = aligned;
  run(std::span<step const>(way.steps), memory);
  return std::all_of(aligned + way.workspace_bytes, workspace.data() + workspace.size(),
                     [](std::byte each) { return each == std::byte{0xEE}; });
}

/// `keeps_to_workspace`, and expects that it does.
template <class Run>
void run_with_workspace(candidate const& way, plan_memory const& memory, Run const& run) {
  EXPECT_TRUE(keeps_to_workspace(way, memory, run)) << "bytes after the workspace are changed: " << describe(way);
}

}  // namespace cornerturn::test
