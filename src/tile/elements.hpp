#pragma once

#include <cstdint>

#include "tile/job.hpp"

namespace cornerturn {

/// Calls visit(T{}) with the element type of a size in bytes: 1, 2, 4, 8 or 16.
template <class Visit>
void visit_element(int element_size, Visit const& visit) {
  switch (element_size) {
    case 1:
      return visit(std::uint8_t{});
    case 2:
      return visit(std::uint16_t{});
    case 4:
      return visit(std::uint32_t{});
    case 8:
      return visit(std::uint64_t{});
    case 16:
      return visit(bits128{});
  }
}

}  // namespace cornerturn
