// One access to memory, which the compiler neither drops, merges nor divides, for kernels whose accesses are counted. Accesses to
// shared memory are volatile, because ptxas merges others; those to global memory are not, because ptxas would change their
// caching.

#pragma once

#include <cstddef>
#include <cstdint>

/// The words of an access of `Bytes` bytes.
template <std::size_t Bytes>
struct words;

#define WORDS(bytes, type, letter, width)                                                                         \
  template <>                                                                                                     \
  struct words<bytes> {                                                                                           \
    static __device__ unsigned load(std::uint64_t at, bool shared) {                                              \
      type word;                                                                                                  \
      if (shared)                                                                                                 \
        asm volatile("ld.volatile.shared." width " %0, [%1];" : "=" letter(word) : "r"(unsigned(at)) : "memory"); \
      else                                                                                                        \
        asm volatile("ld.global." width " %0, [%1];" : "=" letter(word) : "l"(at) : "memory");                    \
      return unsigned(word) ^ unsigned(std::uint64_t(word) >> 32);                                                \
    }                                                                                                             \
    static __device__ void store(std::uint64_t at, bool shared) {                                                 \
      if (shared)                                                                                                 \
        asm volatile("st.volatile.shared." width " [%0], %1;" ::"r"(unsigned(at)), letter(type(0)) : "memory");   \
      else                                                                                                        \
        asm volatile("st.global." width " [%0], %1;" ::"l"(at), letter(type(0)) : "memory");                      \
    }                                                                                                             \
  }
WORDS(1, unsigned, "r", "u8");
WORDS(2, std::uint16_t, "h", "u16");
WORDS(4, unsigned, "r", "u32");
WORDS(8, std::uint64_t, "l", "u64");
#undef WORDS

template <>
struct words<16> {
  static __device__ unsigned load(std::uint64_t at, bool shared) {
    unsigned a, b, c, d;
    if (shared)
      asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                   : "r"(unsigned(at))
                   : "memory");
    else
      asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(at) : "memory");
    return a ^ b ^ c ^ d;
  }
  static __device__ void store(std::uint64_t at, bool shared) {
    if (shared)
      asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(unsigned(at)), "r"(0) : "memory");
    else
      asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(at), "r"(0) : "memory");
  }
};

/// The address of an object in the shared or the global window.
template <bool Shared>
__device__ std::uint64_t address_of(void const* at) {
  return Shared ? __cvta_generic_to_shared(at) : __cvta_generic_to_global(at);
}

/// Loads an object. The result depends on all of its bits.
template <bool Shared, class T>
__device__ unsigned load(T const& at) {
  return words<sizeof(T)>::load(address_of<Shared>(&at), Shared);
}

/// Stores zeros to an object.
template <bool Shared, class T>
__device__ void store(T& at) {
  words<sizeof(T)>::store(address_of<Shared>(&at), Shared);
}
