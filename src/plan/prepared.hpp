#pragma once

#include <optional>
#include <string>

#include "plan/choose.hpp"
#include "plan/place.hpp"
#include "problem/problem.hpp"
#include "problem/validate.hpp"

namespace cornerturn {

/// A problem, where its memory lies and what moves it: what a `Plan` is and what the cache keeps. Not changed once it is made.
struct prepared_plan {
  problem simplest;  ///< canonical
  byte_range read, written;
  alignment aligned;  ///< what the pointers must be multiples of
  int device = kHost;
  std::string device_name;
  std::optional<candidate> chosen;  ///< where there is something to move
  std::string why;                  ///< it was chosen

  bool is_empty() const { return written == byte_range{}; }
};

}  // namespace cornerturn
