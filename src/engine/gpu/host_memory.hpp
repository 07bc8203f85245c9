#pragma once

#include <cstdint>
#include <functional>

#include "problem/problem.hpp"

namespace cornerturn::gpu {

/// The most that one piece of an array has, where the GPU has room for it. Pinning memory takes about as long as copying it a few
/// times, so that larger pieces would cost more than they save.
inline constexpr std::int64_t kPieceBytes = 64 << 20;

/// Runs a canonical problem on arrays in host memory: piece after piece is packed into pinned memory, copied to the current GPU,
/// permuted, copied back and unpacked, a few of them at once. Returns when all is done. The pointers are those that the problem's
/// offsets count from.
///
/// `progress`, where given, is told the share done, 0 to 1, after every piece; what it throws ends the work and passes through.
/// `threads` limits the host's threads that pack and unpack; 0 means no limit besides `set_num_threads`. Throws `error` of kind
/// device where a call fails, of kind memory where memory is short.
void permute_host_memory(problem const& canonical, void const* source, void* destination,
                         std::function<void(double)> const& progress = {}, std::int64_t most_piece_bytes = kPieceBytes, int threads = 0);

}  // namespace cornerturn::gpu
