// Exports the CPU ladder's ceilings to bench/cpu_arena.py.

#include "engine/cpu/copies.hpp"

extern "C" void plain_copy(void* to, void const* from, std::int64_t count, int threads) {
  cornerturn::cpu::plain_copy(to, from, count, threads);
}

extern "C" void streaming_copy(void* to, void const* from, std::int64_t count, int threads) {
  cornerturn::cpu::streaming_copy(to, from, count, threads);
}
