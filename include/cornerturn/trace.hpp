#pragma once

#include "cornerturn/cxx20.hpp"

#include <string>
#include <vector>

#include "cornerturn/explain.hpp"
#include "cornerturn/export.h"

namespace cornerturn {

/// The memory requests of the blocks of a kernel that were traced. Its rung is the kernel's name, `threads` is the highest index
/// of a thread plus 1, and instructions are in the order in which the trace first has them.
struct traced_kernel : explanation {};

/// Counts the accesses in a trace: a text with a line for each access of a thread, which `trace.cuh` or a kernel's printf writes.
///
///     KERNEL BLOCK THREAD FILE:LINE ITERATION load|store global|shared ADDRESS BYTES
///     transpose 0 37 transpose.cu:12 0 load global 0x7f20c2000094 4
///
/// Accesses of a warp with equal kernel, block, line and iteration are one request; if a thread has several, one after another.
/// Empty lines and lines that begin with # are skipped. Files that can be read from the current folder are quoted.
///
/// The file is read once and not kept. If more than 2^23 accesses wait for others, the blocks without an access for the longest
/// time are taken to be complete.
///
/// Throws `error` for a file that cannot be read, for a line that is none of these, with its number and the limit, for a block of
/// more than 2^21 accesses, and for a file without accesses.
///
/// ```cpp
/// for (auto const& kernel : cornerturn::explain_trace(path)) std::cout << cornerturn::report_of(kernel);
/// ```
CORNERTURN_API std::vector<traced_kernel> explain_trace(std::string const& path);

/// Formats a kernel's counts as text of at most 80 columns, as `report_of` does for a rung.
CORNERTURN_API std::string report_of(traced_kernel const& each);

/// Draws the requests of the kernels as an SVG picture.
CORNERTURN_API std::string picture_of(std::vector<traced_kernel> const& all);

}  // namespace cornerturn
