#pragma once

#include <cstddef>
#include <cstdint>

#include "tile/job.hpp"

namespace cornerturn {

/// Calls visit(T{}) with the element type of a size in bytes: 1, 2, 4, 8 or 16.
template <class Visit>
void visit_element(int element_size, Visit const& visit) {
  auto const visit_if = [&](auto element) {
    if (sizeof(element) == std::size_t(element_size)) visit(element);
  };
  visit_if(std::uint8_t{}), visit_if(std::uint16_t{}), visit_if(std::uint32_t{}), visit_if(std::uint64_t{}), visit_if(bits128{});
}

}  // namespace cornerturn
