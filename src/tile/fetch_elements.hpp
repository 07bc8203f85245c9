#pragma once

#include <cstdint>

#include <cute/tensor.hpp>

namespace cornerturn::tile {

/// Copies the elements of a 16-byte unit with addresses in [begin, end) from global to shared memory.
template <class T, class Block>
CUTE_HOST_DEVICE void fetch_elements(Block& block, std::uintptr_t from, char* to, std::uintptr_t begin, std::uintptr_t end) {
  CUTE_NO_UNROLL
  for (int i = 0; i < 16; i += int(sizeof(T)), from += sizeof(T)) {
    [[maybe_unused]] auto const mark = block.iteration(i);
    if (from < begin || from >= end) continue;
    T element;
    block.template global_load<1>(reinterpret_cast<T const*>(from), &element, true);
    block.template shared_store<1>(reinterpret_cast<T*>(to + i), &element);
  }
}

}  // namespace cornerturn::tile
