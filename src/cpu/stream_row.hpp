#pragma once

#include <cstddef>
#include <cstdint>

namespace cornerturn::cpu {

/// Copies `count` bytes past the caches. Both arrays need no alignment; whole cache lines of the destination are streamed. The
/// caller ends with `end_streams`.
void stream_row(std::byte const* from, std::byte* to, std::int64_t count);
void end_streams();

}  // namespace cornerturn::cpu
