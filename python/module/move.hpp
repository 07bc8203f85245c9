#pragma once

#include "view.hpp"

namespace cornerturn::python {

/// Copies elements between two arrays of one shape, after `expect_fitting`. The GIL is free while large ones are moved. Throws
/// ValueError for a destination, called `name`, whose elements overlap.
void move(view const& source, view const& destination, std::string_view name, void* stream);

/// Whether to move an array takes so long that other threads should run meanwhile.
bool takes_time(view const& moved);

/// Throws unless `destination` can take what `source` sees: its shape, dtype, device, that it may be written, and lies apart.
void expect_fitting(view const& source, std::string_view source_name, view const& destination, std::string_view name);

/// Throws ValueError unless the two are on one device, and of one dtype.
void expect_same_device(view const& wanted, std::string_view wanted_name, view const& given, std::string_view name);
void expect_same_dtype(view const& wanted, std::string_view wanted_name, view const& given, std::string_view name);

}  // namespace cornerturn::python
