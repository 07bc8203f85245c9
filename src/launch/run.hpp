#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "block/recording.hpp"

namespace cornerturn {

/// A plan of one launch, whose `visit_program` finds its tile program. `family` is the name of its kernel family.
template <class Plan>
concept launch_plan = requires(Plan const& plan) {
  std::string_view(Plan::family);
  plan.job;
};

template <launch_plan Plan>
constexpr std::string_view name_of(Plan const&) {
  return Plan::family;
}

/// The blocks of a cluster of a launch with these kernel arguments: `job.cluster`, where a job has one.
template <class Args>
constexpr int cluster_of(Args const& args) {
  if constexpr (requires { args.job.cluster.divisor; })
    return args.job.cluster.divisor;
  else
    return 1;
}

namespace gpu {
/// Enqueues a plan on a stream (a cudaStream_t). Throws `error` if the launch fails.
template <launch_plan Plan>
void run(Plan const& plan, void const* source, void* destination, void* stream);
}  // namespace gpu

namespace host {
/// Called with the recording of one block, and with the number of blocks that have the same accesses.
using block_visitor = std::function<void(recording const&, std::int64_t)>;

/// Runs a plan's tile program on host memory, block after block. The threads of a block are fibers. This is slow and exact, and
/// runs the source code that the GPU runs. If there is a recording, every access of every block is appended to it.
template <launch_plan Plan>
void run(Plan const& plan, void const* source, void* destination, recording* record = nullptr);

/// Records one block of each class of a plan. The addresses need not be memory. Returns the threads of a block.
template <launch_plan Plan>
int record(Plan const& plan, std::uintptr_t source, std::uintptr_t destination, block_visitor const& visit);
}  // namespace host

}  // namespace cornerturn
