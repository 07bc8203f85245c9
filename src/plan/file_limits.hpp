#pragma once

#include <cstdint>

namespace cornerturn {

/// The sizes that decide how the array in a file is cut into pieces, or into units in place. Sizes are in bytes unless their
/// comment says otherwise. All code works for any values from 1 on. So tests draw small values, with which small files take every
/// path.
struct file_limits {
  std::int64_t least_run = 512;      ///< runs in a file; the system calls of shorter ones would take longer than moving the bytes
  std::int64_t most_run = 16 << 20;  ///< a longer run is read or written in parts, so that progress can be reported

  // Memory for pieces by default. More is not faster: fresh pages for a larger piece take longer than shorter runs do, and
  // nothing is read or written while a single piece is moved. A GPU gains more by large pieces than the CPU does.
  std::int64_t usual_on_cpu = 256 << 20;
  std::int64_t usual_on_gpu = std::int64_t(2) << 30;

  // Units in place. A unit waits for the disk twice. The journal has room for two.
  std::int64_t units = 32;            ///< the number of units of an array, more if they would be larger than the memory
  std::int64_t least_unit = 1 << 20;  ///< smaller units are joined, if the memory has room
  std::int64_t box_run = 4096;        ///< the least run in the file, for boxes that have a part of long runs
  bool operator==(file_limits const&) const = default;
};

}  // namespace cornerturn
