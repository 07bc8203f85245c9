#include "kernel/alignment.hpp"

#include <cstdint>
#include <numeric>

namespace cornerturn {

alignment alignment_of(void const* source, void const* destination) {
  auto const of = [](void const* pointer) {
    return int(std::gcd(reinterpret_cast<std::uintptr_t>(pointer), std::uintptr_t(16)));
  };
  return {of(source), of(destination)};
}

}  // namespace cornerturn
