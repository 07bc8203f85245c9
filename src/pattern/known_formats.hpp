#pragma once

#include <vector>

#include "cornerturn/formats.hpp"

namespace cornerturn {

/// A format of the library. The pattern of some depends on the shape of the array.
struct known_format {
  layout_format format;
  format_call (*call_for)(index_list const& shape) = nullptr;  ///< null: the pattern is that of the format
};

std::vector<known_format> const& known_formats();

}  // namespace cornerturn
