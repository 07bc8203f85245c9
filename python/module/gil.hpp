#pragma once

#include <nanobind/nanobind.h>

namespace cornerturn::python {

/// Releases the GIL during its lifetime. It does nothing after the interpreter has begun to exit, because the interpreter then
/// waits for no more calls.
class gil_release {
 public:
  explicit gil_release(bool release = true);
  gil_release(gil_release const&) = delete;
  ~gil_release();

 private:
  PyThreadState* state_;
};

/// Registers an atexit handler that waits until no thread holds a gil_release.
void wait_for_calls_at_exit();

}  // namespace cornerturn::python
