#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "block/recording.hpp"
#include "cornerturn/explain.hpp"
#include "launch/block_class.hpp"

namespace cornerturn {

/// A plan of one launch. `family` is the name of its kernel family.
template <class Plan>
concept launch_plan = requires {
  std::string_view(Plan::family);
};

template <launch_plan Plan>
constexpr std::string_view name_of(Plan const&) {
  return Plan::family;
}

/// The blocks of a cluster of a launch with these kernel arguments: `job.cluster` if the job has this member, else 1.
template <class Args>
constexpr int cluster_of(Args const& args) {
  if constexpr (requires { args.job.cluster.divisor; })
    return args.job.cluster.divisor;
  else
    return 1;
}

namespace gpu {
/// How a launch depends on its neighbours on the stream. Launches side by side write different elements, and read none that the
/// other writes.
struct launch_neighbours {
  bool is_beside_last = false;  ///< it need not wait for the launch before it
  bool is_beside_next = false;  ///< the launch after it is ours, and need not wait for it
};

/// Enqueues a plan on a stream (a cudaStream_t). Throws `error` if the launch fails.
template <launch_plan Plan>
void run(Plan const& plan, void const* source, void* destination, void* stream, launch_neighbours const& neighbours = {});
}  // namespace gpu

namespace host {
/// Called with the recording of one block, and with the number of blocks that have the same accesses.
using block_visitor = std::function<void(recording const&, std::int64_t)>;

/// A plan's tile program with its arguments.
struct block_runner {
  int threads;                            ///< threads of a block
  std::int64_t blocks;                    ///< blocks of the launch
  int cluster;                            ///< blocks that run at the same time: a cluster, or one if only addresses are recorded
  std::function<void(std::int64_t)> run;  ///< runs a cluster, given the index of its first block in the grid
  std::vector<tile_map> (*tiles)();       ///< the tiles in shared memory, if the program is a rung's, else null
};

/// Calls work(runner) with the program of a plan. If the recording is of addresses only, no memory need exist at `source` and
/// `destination`. `record` may be null. Each family instantiates it in a translation unit of its own, which is made from
/// kernel/host.cpp.in, because the programs compile slowly.
template <launch_plan Plan>
void visit_runner(Plan const& plan, void const* source, void* destination, recording* record,
                  std::function<void(block_runner const&)> const& work);

/// Runs a plan's tile program on host memory, block after block. The threads of a block are fibers. This is slow and exact, and
/// runs the source code that the GPU runs. If there is a recording, every access of every block is appended to it.
template <launch_plan Plan>
void run(Plan const& plan, void const* source, void* destination, recording* record = nullptr) {
  visit_runner(plan, source, destination, record, [](block_runner const& runner) {
    for (std::int64_t index = 0; index < runner.blocks; index += runner.cluster) runner.run(index);
  });
}

/// Records one block of each class of a plan. The addresses need not be memory. Returns the threads of a block.
template <launch_plan Plan>
int record(Plan const& plan, std::uintptr_t source, std::uintptr_t destination, block_visitor const& visit) {
  int threads = 0;
  recording record{.addresses_only = true, .accesses = {}};
  visit_runner(plan, reinterpret_cast<void const*>(source), reinterpret_cast<void*>(destination), &record,
               [&](block_runner const& runner) {
                 threads = runner.threads;
                 for (auto const& each : classes_of(plan, array_addresses{source, destination})) {
                   record.accesses.clear();
                   runner.run(each.index);
                   visit(record, each.count);
                 }
               });
  return threads;
}
}  // namespace host

}  // namespace cornerturn
