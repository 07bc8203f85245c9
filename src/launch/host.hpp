#pragma once

#include <cstddef>
#include <cstdint>

#include "block/host.hpp"
#include "launch/block_class.hpp"
#include "launch/run.hpp"

namespace cornerturn::host {

template <launch_plan Plan>
void run(Plan const& plan, void const* source, void* destination, recording* record) {
  visit_program(plan, source, destination, [&]<class Program>(Program, auto const& args, int blocks, int shared_bytes) {
    int const cluster = cluster_of(args);
    host_block block(Program::kThreads, std::size_t(shared_bytes), record, cluster);
    for (int index = 0; index < blocks; index += cluster) block.run(index, [&] { Program::run(block, args); });
  });
}

template <launch_plan Plan>
int record(Plan const& plan, std::uintptr_t source, std::uintptr_t destination, block_visitor const& visit) {
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
