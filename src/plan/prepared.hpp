#pragma once

#include <compare>
#include <optional>
#include <string>

#include "pattern/problems.hpp"
#include "plan/candidate.hpp"
#include "plan/place.hpp"
#include "problem/problem.hpp"
#include "problem/validate.hpp"

namespace cornerturn {

/// Where a call runs, as its memory and its options say.
struct where {
  int place = kHost;  ///< a GPU's number, or kHost
  alignment aligned;  ///< of the addresses on a GPU; 1 byte on the CPU, whose plans do not depend on it, whatever is given
  int threads = 0;    ///< maximum number of threads of a run on the CPU; 0: no limit besides `set_num_threads`

  where(int place, alignment const& aligned, int threads)
      : place(place), aligned(place == kHost ? alignment{1, 1} : aligned), threads(threads) {}
  auto operator<=>(where const&) const = default;
};

/// A problem, the place of its memory and the steps that move it. A `permutation_plan` and the cache hold it; it is
/// immutable.
struct prepared_plan {
  problem simplest;  ///< canonical; of a matrix to quantise `values_of` its layout; unused if there is a `limited` copy
  std::optional<pattern_copy> limited = {};  ///< a copy that is padded, cropped or swizzled
  byte_range read, written;
  alignment aligned;  ///< bytes to which the caller's pointers are aligned
  int device = kHost;
  int threads = 0;  ///< maximum number of threads of a run on the CPU; 0: no limit besides `set_num_threads`
  std::string device_name;
  candidate chosen;  ///< has no steps if there is nothing to move

  bool is_empty() const { return written == byte_range{}; }
};

/// The line that `permutation_plan::describe` returns.
std::string describe(prepared_plan const& plan);

}  // namespace cornerturn
