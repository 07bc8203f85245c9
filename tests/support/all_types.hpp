#pragma once

#include <ranges>

#include "cornerturn/element_type.hpp"

namespace cornerturn::test {

/// All types of elements.
inline constexpr auto kAllTypes = kElementTypes | std::views::transform(&element_type_row::type);

}  // namespace cornerturn::test
