#pragma once

namespace cornerturn {

/// Who does the work. `automatic` follows the pointers: device memory is served by the GPU, host memory by the CPU. Where there
/// are no pointers yet, it is the GPU where one can be used. A one-shot call with host memory that asks for `gpu` copies it to
/// the current GPU and back, piece after piece, and returns when all is done.
enum class processor_kind { automatic, cpu, gpu };

}  // namespace cornerturn
