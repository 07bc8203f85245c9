#pragma once

namespace cornerturn {

/// Whether anybody in this process has started CUDA; before that no memory is a GPU's. Asking does not start it, which takes a
/// tenth of a second and keeps children from using CUDA after fork.
bool is_cuda_started();

}  // namespace cornerturn
