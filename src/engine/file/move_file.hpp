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

/// The arrays of two files, each from a byte on, which are read and written in runs. `report` is called on the caller's thread
/// with numbers of bytes. They add up to the bytes of the source, which are read, and twice the bytes of the destination, which
/// are moved and written. An exception of `report` ends the work and passes through.
struct file_sides {
  input_file const& from;
  std::int64_t from_byte;
  replacement& to;
  std::int64_t to_byte;
  file_limits const& limits;
  std::function<void(std::int64_t)> const& report;
};

struct moved_file {
  double seconds = 0;     ///< moving elements in memory
  std::string processor;  ///< "cpu" or "gpu"
};

/// Runs a canonical problem between two files, piece after piece within a limit of memory. Elements may change on the way,
/// without beta.
moved_file move_file(problem const& canonical, file_sides const& files, processor_kind asked, std::int64_t memory);

/// Reads `source_bytes` bytes, calls move(source, destination), and writes `destination_bytes` bytes. Returns the seconds that
/// the call has taken.
double move_whole(file_sides const& files, std::int64_t source_bytes, std::int64_t destination_bytes,
                  std::function<void(void const*, void*)> const& move);

}  // namespace cornerturn
