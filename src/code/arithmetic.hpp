#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cornerturn {

/// The result of an operator, or why it has none.
struct computed {
  std::int64_t value = 0;
  std::string problem = {};  ///< empty if there is a value
};

/// A binary operator of C on integers, e.g. "<<". `most` limits the magnitude of the result; it is at most 2^48.
computed compute(std::string_view by, std::int64_t left, std::int64_t right, std::int64_t most);

}  // namespace cornerturn
