#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cornerturn/processor.hpp"
#include "file/input.hpp"
#include "file/replace.hpp"
#include "plan/file_limits.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

struct moved_file {
  double seconds = 0;     ///< moving elements in memory
  std::string processor;  ///< "cpu" or "gpu"
};

/// Runs a canonical problem between two files, piece after piece within a limit of memory. Each array begins at a given byte of
/// its file. Elements may change on the way, without beta. `report` is called on this thread with numbers of bytes. They add up
/// to the bytes of the source, which are read, and twice the bytes of the destination, which are moved and written. An exception
/// of `report` ends the work and passes through.
moved_file move_file(problem const& canonical, input_file const& from, std::int64_t from_byte, replacement& to,
                     std::int64_t to_byte, processor_kind asked, std::int64_t memory, file_limits const& limits,
                     std::function<void(std::int64_t)> const& report);

}  // namespace cornerturn
