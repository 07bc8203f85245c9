#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pattern/problems.hpp"
#include "plan/prepared.hpp"

namespace cornerturn {

/// A plan, without a choice yet, of a copy that is padded, cropped or swizzled. Throws `error` for strides that `strided_copy`
/// rejects.
prepared_plan unplanned_limited(pattern_copy const& copy, where const& at);

/// The words of a cache's key, in which any two copies differ.
std::vector<std::int64_t> key_of(pattern_copy const& copy, where const& at);

}  // namespace cornerturn
