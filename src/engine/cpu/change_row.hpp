#pragma once

#include <cstddef>
#include <cstdint>

#include "cornerturn/element_operation.hpp"

namespace cornerturn::cpu {

/// Changes `count` elements that follow each other on both sides, whose addresses need no alignment. If the operation's beta is
/// not 0, the destination holds its elements from before.
void change_row(element_operation const& operation, std::byte const* from, std::byte* to, std::int64_t count);

/// Copies bytes past the caches. Both arrays need no alignment; whole cache lines of the destination are streamed. The caller
/// ends with `end_streams`.
void stream_row(std::byte const* from, std::byte* to, std::int64_t bytes);
void end_streams();

}  // namespace cornerturn::cpu
