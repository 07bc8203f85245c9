#pragma once

#include <nanobind/nanobind.h>

namespace cornerturn::python {

/// Frees the GIL for as long as it lives; not any more once the interpreter ends. Then Python up to 3.13 ends a thread that asks
/// for the GIL by unwinding its stack, which C++ answers with std::terminate.
class gil_release {
 public:
  explicit gil_release(bool is_worth_it = true);
  gil_release(gil_release const&) = delete;
  ~gil_release();

 private:
  PyThreadState* state_;
};

/// Has the end of the interpreter wait until all are done that have freed the GIL.
void guard_the_end();

}  // namespace cornerturn::python
