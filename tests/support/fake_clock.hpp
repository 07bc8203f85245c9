#pragma once

#include <chrono>
#include <cmath>

#include "measure/clock.hpp"

namespace cornerturn::test {

/// Replaces the clock by which the host measures, while this lives. The new clock stands still, but for `step` seconds before
/// each reading. Only one may live at a time.
class fake_clock {
 public:
  explicit fake_clock(double step = 0) : usual_(measuring_clock) {
    now_ = moment(), step_ = of_seconds(step);
    measuring_clock = [] { return now_ += step_; };
  }
  fake_clock(fake_clock const&) = delete;
  ~fake_clock() { measuring_clock = usual_; }

  void advance(double seconds) { now_ += of_seconds(seconds); }
  double seconds() const { return std::chrono::duration<double>(now_.time_since_epoch()).count(); }

 private:
  static std::chrono::nanoseconds of_seconds(double seconds) { return std::chrono::nanoseconds(std::llround(1e9 * seconds)); }

  static inline moment now_;
  static inline std::chrono::nanoseconds step_;
  moment (*usual_)();
};

}  // namespace cornerturn::test
