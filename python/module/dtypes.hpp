#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

namespace cornerturn::python {

/// NumPy's dtype of what describes one. Throws TypeError where nothing does, or where elements refer to objects.
nanobind::object numpy_dtype(nanobind::handle description, std::string_view name);

}  // namespace cornerturn::python
