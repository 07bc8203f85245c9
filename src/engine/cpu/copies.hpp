#pragma once

#include <cstdint>

namespace cornerturn::cpu {

/// The copies that serve as ceilings. Each of `threads` threads copies an equal share; one thread is the caller's.
void plain_copy(void* to, void const* from, std::int64_t bytes, int threads);
/// Copies with non-temporal stores, past the caches, if the processor has such stores.
void streaming_copy(void* to, void const* from, std::int64_t bytes, int threads);

}  // namespace cornerturn::cpu
