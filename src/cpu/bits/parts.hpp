#pragma once

#include <cstdint>

#include "cpu/run.hpp"

namespace cornerturn::cpu {

/// Calls part(from, to) for nearly equal parts of 0 to count - 1, each on one of at most `threads` threads. Each index stands for
/// `bytes` bytes; 0 threads: no limit besides `set_num_threads`.
template <class Part>
void in_parts(std::int64_t count, std::int64_t bytes, int threads, Part const& part) {
  constexpr std::int64_t kLeastBytes = 1 << 18;
  auto const parts = threads_for(count * bytes, count, {.most = threads, .share = kLeastBytes});
  do_parts(nullptr, parts, [&](int i) { part(count * i / parts, count * (i + 1) / parts); });
}

}  // namespace cornerturn::cpu
