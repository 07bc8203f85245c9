#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace cornerturn::cpu {

/// Bytes that this process might still take without others being swapped out or it being ended: what the system calls available,
/// or the limit of its control groups where that is less.
std::int64_t available_memory();

/// The most bytes that a process may have by its control group and all above it; the largest number where none sets a limit. The
/// arguments are those of `groups`.
std::int64_t memory_limit(std::filesystem::path const& mounted, std::string const& listed);

}  // namespace cornerturn::cpu
