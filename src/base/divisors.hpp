#pragma once

#include <cstdint>
#include <vector>

namespace cornerturn {

/// The divisors of a positive number that are at most `most`, in ascending order. `most` is at least 1. If a number above 2^44
/// has several prime factors above 2^22, their product counts as one prime, because the search for them would take seconds.
std::vector<std::int64_t> divisors_of(std::int64_t number, std::int64_t most);

}  // namespace cornerturn
