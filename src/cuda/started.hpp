#pragma once

namespace cornerturn {

/// True if any code of this process has initialised CUDA; before that, no memory belongs to a GPU. The check itself does not
/// initialise CUDA, which takes 0.1 s and prevents child processes from using CUDA after fork.
bool is_cuda_started();

}  // namespace cornerturn
