#pragma once

#include <cstdint>

namespace cornerturn::cpu {

/// The copies that are taken for ceilings: on so many threads, the caller's among them, each with an equal share.
void plain_copy(void* to, void const* from, std::int64_t bytes, int threads);
/// With non-temporal stores, past the caches, where the processor has them.
void streaming_copy(void* to, void const* from, std::int64_t bytes, int threads);

}  // namespace cornerturn::cpu
