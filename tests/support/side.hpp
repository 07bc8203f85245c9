#pragma once

#include <string>
#include <utility>

#include "cornerturn/layout.hpp"

namespace cornerturn::test {

/// One side's threads, values and bytes of a vector.
struct side : tiled_access {
  side(std::string threads_text, std::string values_text = "", int bytes = 0)
      : tiled_access{std::move(threads_text), std::move(values_text), bytes} {}
};

}  // namespace cornerturn::test
