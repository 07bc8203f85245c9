#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "support/cases.hpp"

namespace cornerturn::test {

/// The memory of a case, in host memory: both sides whole (gaps and guards too, each on a 256-byte boundary), and the byte at
/// which the first element lies.
struct case_memory {
  std::span<std::byte const> source;
  std::span<std::byte> destination;
  std::size_t source_at, destination_at;
};
/// Moves a job between the two sides.
using mover = std::function<void(job const& shape, case_memory const& memory)>;

/// Runs a case on random bytes and compares every byte of the destination, the gaps and a guard around it too, with a plain
/// loop. Returns what is wrong, or nothing.
std::string check_transpose(transpose_case const& each, int element_size, mover const& move);

/// The command that repeats the running test on one case.
std::string repeat_command(transpose_case const& each);

}  // namespace cornerturn::test
