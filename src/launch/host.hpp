#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "block/host.hpp"
#include "launch/run.hpp"

namespace cornerturn::host {

/// A tile program and its kernel arguments without their types, so that the code around many programs is compiled once.
struct untyped_program {
  void (*run)(host_block& block, void const* args);
  void const* args;
  int threads;                       ///< threads of a block
  std::int64_t blocks;               ///< blocks of the launch
  int shared_bytes;                  ///< bytes of a block's shared memory
  int cluster;                       ///< blocks of a cluster
  std::vector<tile_map> (*tiles)();  ///< the tiles in shared memory, if the program is a rung's, else null
};

template <class Program, class Args>
untyped_program untyped(Args const& args, std::int64_t blocks, int shared_bytes, std::vector<tile_map> (*tiles)() = nullptr) {
  return {[](host_block& block, void const* given) { Program::run(block, *static_cast<Args const*>(given)); },
          &args,
          Program::kThreads,
          blocks,
          shared_bytes,
          cluster_of(args),
          tiles};
}

inline void visit_runner_of(untyped_program const& program, recording* record,
                            std::function<void(block_runner const&)> const& work) {
  // the addresses of a block do not depend on the other blocks of its cluster
  int const cluster = record && record->addresses_only ? 1 : program.cluster;
  host_block block(program.threads, std::size_t(program.shared_bytes), record, cluster);
  std::function<void()> const body = [&] { program.run(block, program.args); };
  work({program.threads, program.blocks, cluster, [&](std::int64_t index) { block.run(index, body); }, program.tiles});
}

template <launch_plan Plan>
void visit_runner(Plan const& plan, void const* source, void* destination, recording* record,
                  std::function<void(block_runner const&)> const& work) {
  visit_program(plan, source, destination, [&]<class Program>(Program, auto const& args, int blocks, int shared_bytes) {
    visit_runner_of(untyped<Program>(args, blocks, shared_bytes), record, work);
  });
}

}  // namespace cornerturn::host
