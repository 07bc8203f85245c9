#pragma once

#include <nanobind/nanobind.h>

namespace cornerturn::python {

/// cache_info, cache_clear, set_num_threads and num_threads.
void add_settings(nanobind::module_& m);

}  // namespace cornerturn::python
