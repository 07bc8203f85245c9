#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cornerturn/processor.hpp"
#include "file/input.hpp"
#include "file/replace.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

struct moved_file {
  double seconds = 0;     ///< moving elements in memory
  std::string processor;  ///< "cpu" or "gpu"
};

/// Runs a canonical problem whose source lies in one file and whose destination in another, each from a byte on, piece after
/// piece within a limit of memory. `tell` is called with numbers of bytes that add up to three times the problem's, on this
/// thread: all are read, moved and written. What it throws ends the work and passes through.
moved_file move_file(problem const& canonical, input_file const& from, std::int64_t from_byte, replacement& to,
                     std::int64_t to_byte, processor_kind asked, std::int64_t memory,
                     std::function<void(std::int64_t)> const& tell);

/// The least memory that a problem can be given; with less its runs in the files would be of hardly more than an element.
std::int64_t least_memory(problem const& canonical);

/// The memory that a problem is given where nobody says how much.
std::int64_t usual_memory(problem const& canonical, processor_kind asked);

}  // namespace cornerturn
