#pragma once

#include <cstdint>
#include <filesystem>

#include "file/descriptor.hpp"

namespace cornerturn {

/// Reads or writes `bytes` bytes at byte `offset` of a file whose name is `path`. Throws `error` if that fails or if the file
/// ends before the bytes to read.
void read_at(descriptor const& file, std::filesystem::path const& path, std::int64_t offset, void* to, std::int64_t bytes);
void write_at(descriptor const& file, std::filesystem::path const& path, std::int64_t offset, void const* from,
              std::int64_t bytes);

/// The same for a caller that has its own message: returns false with errno if it fails.
bool try_write_at(descriptor const& file, std::int64_t offset, void const* from, std::int64_t bytes);

/// Waits until all bytes that were written to the file are on the disk (fdatasync). Throws `error` if that fails.
void sync_data(descriptor const& file, std::filesystem::path const& path);

/// The folder that a path is in; "." for a name alone.
std::filesystem::path folder_of(std::filesystem::path const& path);

/// Waits until the entries of the folder of `path` are on the disk. Throws `error` if that fails.
void sync_folder_of(std::filesystem::path const& path);

}  // namespace cornerturn
