#include "engine/gpu/planned.cuh"

namespace cornerturn::gpu {

void run(gather_plan const& plan, void const* source, void* destination, cudaStream_t stream) {
  launch(plan, source, destination, stream);
}

}  // namespace cornerturn::gpu
