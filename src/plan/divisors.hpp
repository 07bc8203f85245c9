#pragma once

#include <cstdint>
#include <vector>

namespace cornerturn {

/// The divisors of a positive number that are at most `most`, in ascending order. `most` is at least 1.
std::vector<std::int64_t> divisors_of(std::int64_t number, std::int64_t most);

}  // namespace cornerturn
