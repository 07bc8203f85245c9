// The ladder's ceilings, for bench/cpu_arena.py to call.

#include "engine/cpu/copies.hpp"

extern "C" void plain_copy(void* to, void const* from, std::int64_t count, int threads) {
  cornerturn::cpu::plain_copy(to, from, count, threads);
}

extern "C" void streaming_copy(void* to, void const* from, std::int64_t count, int threads) {
  cornerturn::cpu::streaming_copy(to, from, count, threads);
}
