#include "launch/host.hpp"
#include "kernel/gather/programs.hpp"

namespace cornerturn::host {

void run(gather_plan const& plan, void const* source, void* destination, recording* record) {
  run_blocks(plan, source, destination, record);
}

int record(gather_plan const& plan, std::uintptr_t source, std::uintptr_t destination, block_visitor const& visit) {
  return record_blocks(plan, source, destination, visit);
}

}  // namespace cornerturn::host
