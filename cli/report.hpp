#pragma once

#include <string>

#include "cornerturn/ladder.hpp"

namespace cornerturn::cli {

/// Throws `error` where a report could not be written to a path, so that nobody waits for a run whose report is lost.
void expect_writable(std::string const& path);

/// Writes a text to a file, whole or not at all. Throws `error` where the file cannot be written.
void write_text(std::string const& text, std::string const& path);

/// Writes a ladder run to a file, whole or not at all. Throw `error` where the file cannot be written.
/// JSON: a list with this run; lists of several runs are these, joined. CSV: a line a rung.
void write_json(ladder_run const& run, std::string const& path);
void write_csv(ladder_run const& run, std::string const& path);

}  // namespace cornerturn::cli
