#include "launch/host.hpp"
#include "kernel/unaligned/programs.hpp"

namespace cornerturn::host {

void run(unaligned_plan const& plan, void const* source, void* destination, recording* record) {
  run_blocks(plan, source, destination, record);
}

int record(unaligned_plan const& plan, std::uintptr_t source, std::uintptr_t destination, block_visitor const& visit) {
  return record_blocks(plan, source, destination, visit);
}

}  // namespace cornerturn::host
