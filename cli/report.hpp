#pragma once

#include <string>

#include "cornerturn/ladder.hpp"

namespace cornerturn::cli {

/// Throws `error` if a report cannot be written to a path. It is called before a long run.
void expect_writable(std::string const& path);

/// Replaces a file atomically by a text; /dev/stdout, /dev/stderr and /dev/fd/N are written at their present position. Throws
/// `error` if this fails.
void write_text(std::string const& text, std::string const& path);

/// Replaces a file atomically by a ladder run as JSON, a list with this run as its only item. Throws `error` if the file cannot
/// be written.
void write_json(ladder_run const& run, std::string const& path);

}  // namespace cornerturn::cli
