#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "cornerturn/distributed.hpp"

namespace cornerturn::distributed {

/// A hash of an argument that must be equal on all ranks, and the argument's name in messages.
struct digest {
  std::string_view name;
  std::int64_t value;  ///< 0 or more
};

/// The digests of a call: of the function's name, and of each member of the description.
std::vector<digest> digests_of(std::string_view call, description const& given);

/// Runs `check`, which throws if this rank's arguments are wrong, and compares the digests of all ranks. All ranks pass the same
/// number of digests. If a check threw, all ranks throw the `error` of the first rank whose check threw. Otherwise, if a digest
/// differs, all ranks throw an `error` about the first such digest.
void agree(communicator& ranks, std::vector<digest> const& digests, std::function<void()> const& check);

}  // namespace cornerturn::distributed
