// The copies that bench/cpu_arena.py takes for ceilings, on a number of threads.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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

template <class Copy>
void shared_out(std::int64_t count, int threads, Copy const& copy) {
  auto const share = (count / threads + 63) / 64 * 64;
  std::vector<std::jthread> others;
  for (int i = 1; i < threads; ++i)
    others.emplace_back([&, i] { copy(std::min(i * share, count), std::min((i + 1) * share, count)); });
  copy(0, std::min(share, count));
}

}  // namespace

extern "C" void streaming_copy(char* to, char const* from, std::int64_t count, int threads) {
  shared_out(count, threads, [=](std::int64_t begin, std::int64_t end) { stream(to + begin, from + begin, end - begin); });
}

extern "C" void plain_copy(char* to, char const* from, std::int64_t count, int threads) {
  shared_out(count, threads,
             [=](std::int64_t begin, std::int64_t end) { std::memcpy(to + begin, from + begin, std::size_t(end - begin)); });
}
