#include "kernel/interleave/programs.hpp"
#include "launch/launch.cuh"

namespace cornerturn::gpu {

void run(interleave_plan const& plan, void const* source, void* destination, void* stream) {
  visit_program(plan, source, destination, [&](auto program, auto const& args, int blocks, int shared_bytes) {
    launch(program, args, blocks, shared_bytes, static_cast<cudaStream_t>(stream));
  });
}

}  // namespace cornerturn::gpu
