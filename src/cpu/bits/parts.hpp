#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/parallel_for.hpp"
#include "cpu/threads.hpp"

namespace cornerturn::cpu {

/// Calls part(from, to) for nearly equal parts of 0 to count - 1, each on one of at most `threads` threads. Each index stands for
/// some bytes; parts have at least some hundred thousand of them.
template <class Part>
void in_parts(std::int64_t count, std::int64_t bytes, int threads, Part const& part) {
  constexpr std::int64_t kLeastBytes = 1 << 18;
  auto const parts = std::clamp<std::int64_t>(count * bytes / kLeastBytes, 1, thread_count(threads));
  parallel_for(int(parts), [&](int i) { part(count * i / parts, count * (i + 1) / parts); });
}

}  // namespace cornerturn::cpu
