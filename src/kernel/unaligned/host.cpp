#include "launch/host.hpp"
#include "kernel/unaligned/programs.hpp"

namespace cornerturn::host {

void run(unaligned_plan const& plan, void const* source, void* destination, recording* record) {
  visit_program(plan, source, destination, [&](auto program, auto const& args, int blocks, int shared_bytes) {
    run_blocks(program, args, blocks, shared_bytes, record);
  });
}

int record(unaligned_plan const& plan, std::uintptr_t source, std::uintptr_t destination, block_visitor const& visit) {
  int threads = 0;
  visit_program(plan, reinterpret_cast<void const*>(source), reinterpret_cast<void*>(destination),
                [&](auto program, auto const& args, int, int shared_bytes) {
                  threads = record_blocks(program, args, shared_bytes, classes_of(plan, {source, destination}), visit);
                });
  return threads;
}

}  // namespace cornerturn::host
