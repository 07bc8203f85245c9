#include "engine/cpu/copies.hpp"

#include <algorithm>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/round.hpp"
#include "cpu/parallel_for.hpp"
#include "cpu/shared_tiles.hpp"
#include "cpu/sizes.hpp"

namespace cornerturn::cpu {
namespace {

void stream(char* to, char const* from, std::int64_t count) {
#if defined(__SSE2__)
  auto const head = std::min<std::int64_t>(count, -reinterpret_cast<std::uintptr_t>(to) % 16);
  std::memcpy(to, from, std::size_t(head));
  auto at = head;
  for (; at + 16 <= count; at += 16)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at), _mm_loadu_si128(reinterpret_cast<__m128i const*>(from + at)));
  std::memcpy(to + at, from + at, std::size_t(count - at));
  _mm_sfence();
#else
  std::memcpy(to, from, std::size_t(count));
#endif
}

/// Calls copy(to, from, count) for pieces of whole cache lines, on several threads.
template <class Copy>
void share_out(void* to, void const* from, std::int64_t bytes, int threads, Copy const& copy) {
  shared_tiles lines(ceil_div(bytes, kCacheLine), bytes, threads);
  parallel_for(threads, [&](int index) {
    auto const copy_lines = [&](std::int64_t first, std::int64_t last, reporter const&) {
      auto const begin = first * kCacheLine, end = std::min(last * kCacheLine, bytes);
      copy(static_cast<char*>(to) + begin, static_cast<char const*>(from) + begin, end - begin);
    };
    lines.move_as(
        index, [](std::int64_t) { return true; }, copy_lines);
  });
}

}  // namespace

void plain_copy(void* to, void const* from, std::int64_t bytes, int threads) {
  share_out(to, from, bytes, threads,
            [](char* into, char const* out, std::int64_t n) { std::memcpy(into, out, std::size_t(n)); });
}

void streaming_copy(void* to, void const* from, std::int64_t bytes, int threads) { share_out(to, from, bytes, threads, stream); }

}  // namespace cornerturn::cpu
