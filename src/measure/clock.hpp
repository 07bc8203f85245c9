#pragma once

#include <chrono>
#include <functional>

namespace cornerturn {

using moment = std::chrono::steady_clock::time_point;

/// The clock by which the host measures. Tests replace it, so that they do not depend on the machine.
inline moment (*measuring_clock)() = [] { return std::chrono::steady_clock::now(); };

/// A moment, and the seconds since then by the measuring clock.
class elapsed_time {
 public:
  double seconds() const { return std::chrono::duration<double>(measuring_clock() - start_).count(); }

 private:
  moment start_ = measuring_clock();
};

/// The seconds that one run of some work takes by the measuring clock. Short work runs several times per interval.
double seconds_of(std::function<void()> const& work);

}  // namespace cornerturn
