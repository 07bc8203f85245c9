#pragma once

#include "support/sanitized.hpp"

namespace cornerturn::test {

/// True if the program is sanitized or emulated. Then long tests have fewer cases.
#if defined(CORNERTURN_EMULATED)
inline constexpr bool kSlowed = true;
#else
inline constexpr bool kSlowed = kSanitized;
#endif

}  // namespace cornerturn::test
