#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "cornerturn/distributed.hpp"

namespace cornerturn::distributed {

/// A hash of what all ranks must pass alike, and what to call it in a message.
struct digest {
  std::string_view name;
  std::int64_t value;  ///< 0 or more
};

/// The digests of a call: of the function's name, and of each member of the description.
std::vector<digest> digests_of(std::string_view call, description const& given);

/// Runs `check`, which throws if this rank's arguments are wrong, and compares the digests of all ranks, which call it with as
/// many. Throws the same `error` on all ranks if a check threw, or if a digest differs: that of the first rank whose check threw,
/// or of the first digest that differs.
void agree(communicator& ranks, std::vector<digest> const& digests, std::function<void()> const& check);

}  // namespace cornerturn::distributed
