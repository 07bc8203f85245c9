#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "block/host.hpp"
#include "launch/block_class.hpp"

namespace cornerturn::host {

/// Called with the recording of one block, and with the number of blocks that have the same accesses.
using block_visitor = std::function<void(recording const&, std::int64_t)>;

/// Runs all blocks of a plan's tile program on host memory, one after another. `record` may be null.
template <class Plan>
void run_blocks(Plan const& plan, void const* source, void* destination, recording* record) {
  visit_program(plan, source, destination, [&]<class Program>(Program, auto const& args, int blocks, int shared_bytes) {
    host_block block(Program::kThreads, std::size_t(shared_bytes), record);
    for (int index = 0; index < blocks; ++index) block.run(index, [&] { Program::run(block, args); });
  });
}

/// Records the addresses of one block of each class of a plan. Returns the threads of a block.
template <class Plan>
int record_blocks(Plan const& plan, std::uintptr_t source, std::uintptr_t destination, block_visitor const& visit) {
  int threads = 0;
  visit_program(plan, reinterpret_cast<void const*>(source), reinterpret_cast<void*>(destination),
                [&]<class Program>(Program, auto const& args, int, int shared_bytes) {
                  threads = Program::kThreads;
                  recording record{.addresses_only = true, .accesses = {}};
                  host_block block(threads, std::size_t(shared_bytes), &record);
                  for (auto const& each : classes_of(plan, {source, destination})) {
                    record.accesses.clear();
                    block.run(each.index, [&] { Program::run(block, args); });
                    visit(record, each.count);
                  }
                });
  return threads;
}

}  // namespace cornerturn::host
