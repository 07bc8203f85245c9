#pragma once

#include <cstdint>
#include <functional>

#include "problem/problem.hpp"

namespace cornerturn::gpu {

/// The most bytes of a piece of an array, if the GPU has room for it. Pinning memory takes about as long as copying it a few
/// times, so larger pieces would cost more than they save.
inline constexpr std::int64_t kPieceBytes = 64 << 20;

/// Runs a canonical problem on arrays in host memory, piece after piece. A piece is packed into pinned memory, copied to the
/// current GPU, permuted, copied back and unpacked; a few pieces are on their way at once. Returns when all is done. The
/// problem's offsets count from the pointers.
///
/// If `progress` is given, it is called after every piece with the share done, from 0 to 1. Its exceptions end the work and pass
/// through. `threads` limits the host's threads that pack and unpack; 0 means no limit besides `set_num_threads`. Throws `error`
/// of kind device if a call fails, and of kind memory if memory runs out.
void permute_host_memory(problem const& canonical, void const* source, void* destination,
                         std::function<void(double)> const& progress = {}, std::int64_t most_piece_bytes = kPieceBytes, int threads = 0);

}  // namespace cornerturn::gpu
