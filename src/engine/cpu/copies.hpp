#pragma once

#include <cstdint>

namespace cornerturn::cpu {

/// The copies that serve as ceilings. Each of `threads` threads, one of which is the caller's, copies an equal share.
void plain_copy(void* to, void const* from, std::int64_t bytes, int threads);
/// Copies with non-temporal stores, past the caches, if the processor has such stores.
void streaming_copy(void* to, void const* from, std::int64_t bytes, int threads);

}  // namespace cornerturn::cpu
