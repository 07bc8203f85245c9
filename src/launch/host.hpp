#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "block/host.hpp"
#include "launch/block_class.hpp"

namespace cornerturn::host {

/// Called with what one block asked of memory, and with the number of blocks that ask the same.
using block_visitor = std::function<void(recording const&, std::int64_t)>;

/// Runs all blocks of a tile program on host memory, one after another. `record` may be null.
template <class Program, class Args>
void run_blocks(Program, Args const& args, int blocks, int shared_bytes, recording* record) {
  host_block block(Program::kThreads, std::size_t(shared_bytes), record);
  for (int index = 0; index < blocks; ++index) block.run(index, [&] { Program::run(block, args); });
}

/// Records the addresses of one block of each class. Returns the threads of a block.
template <class Program, class Args>
int record_blocks(Program, Args const& args, int shared_bytes, std::vector<block_class> const& classes,
                  block_visitor const& visit) {
  recording record{.addresses_only = true, .accesses = {}};
  host_block block(Program::kThreads, std::size_t(shared_bytes), &record);
  for (auto const& each : classes) {
    record.accesses.clear();
    block.run(each.index, [&] { Program::run(block, args); });
    visit(record, each.count);
  }
  return Program::kThreads;
}

}  // namespace cornerturn::host
