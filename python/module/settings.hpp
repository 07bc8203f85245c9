#pragma once

#include <nanobind/nanobind.h>

namespace cornerturn::python {

/// Adds cache_info, cache_clear, set_num_threads and num_threads to the module.
void add_settings(nanobind::module_& m);

}  // namespace cornerturn::python
