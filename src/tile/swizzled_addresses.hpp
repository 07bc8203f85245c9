#pragma once

#include <cstdint>

#include "block/host_device.hpp"
#include "problem/limited.hpp"

namespace cornerturn::tile {

/// The addresses of an array whose byte offsets are swizzled.
struct swizzled_addresses {
  std::uintptr_t base;  ///< the address of offset 0
  int shift, mask;

  swizzled_addresses(void const* array, offset_swizzle const& swizzle)
      : base(reinterpret_cast<std::uintptr_t>(array)), shift(swizzle.shift), mask(swizzle.mask) {}

  /// Where the element of an unswizzled address is. The bits of a swizzle are among the lowest 32 of an offset.
  template <class T>
  CORNERTURN_HOST_DEVICE T* operator()(T* at) const {
    auto const address = reinterpret_cast<std::uintptr_t>(at);
    int const offset = int(address - base), swizzled = offset ^ (offset >> shift & mask);
    return reinterpret_cast<T*>(address + std::uintptr_t(std::intptr_t(swizzled - offset)));
  }
};

}  // namespace cornerturn::tile
