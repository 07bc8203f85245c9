#pragma once

#include <cstddef>
#include <cstdint>

#include "block/host.hpp"
#include "launch/run.hpp"

namespace cornerturn::host {

template <launch_plan Plan>
void visit_runner(Plan const& plan, void const* source, void* destination, recording* record,
                  std::function<void(block_runner const&)> const& work) {
  visit_program(plan, source, destination, [&]<class Program>(Program, auto const& args, int blocks, int shared_bytes) {
    // the addresses of a block do not depend on the other blocks of its cluster
    int const cluster = record && record->addresses_only ? 1 : cluster_of(args);
    host_block block(Program::kThreads, std::size_t(shared_bytes), record, cluster);
    std::function<void()> const body = [&] { Program::run(block, args); };
    work({Program::kThreads, blocks, cluster, [&](std::int64_t index) { block.run(index, body); }});
  });
}

}  // namespace cornerturn::host
