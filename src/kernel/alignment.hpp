#pragma once

#include <compare>
#include <cstdint>
#include <numeric>

namespace cornerturn {

/// The alignment of both addresses in bytes: 1, 2, 4, 8 or 16.
struct alignment {
  int source = 16, destination = 16;
  auto operator<=>(alignment const&) const = default;
};
inline alignment alignment_of(void const* source, void const* destination) {
  auto const of = [](void const* pointer) {
    return int(std::gcd(reinterpret_cast<std::uintptr_t>(pointer), std::uintptr_t(16)));
  };
  return {of(source), of(destination)};
}

}  // namespace cornerturn
