#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace cornerturn::cpu {

/// The bytes that this process may still allocate: the memory that the system calls available, or the limit of the process's
/// control groups if that is less. With more, the system would swap memory out or end the process.
std::int64_t available_memory();

/// The least limit in bytes that the control group of a process and the groups above it set; the largest number if none sets a
/// limit. The arguments are those of `groups`.
std::int64_t memory_limit(std::filesystem::path const& mounted, std::string const& listed);

}  // namespace cornerturn::cpu
