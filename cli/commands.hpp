#pragma once

#include <CLI/CLI.hpp>

namespace cornerturn::cli {

/// Each adds one command to the program. A command runs as the callback of its subcommand. If it fails, it throws `error`, or
/// CLI::RuntimeError with an exit code if it has already printed the error.
void add_transpose(CLI::App& app);
void add_ladder(CLI::App& app);
void add_explain(CLI::App& app);
void add_layout(CLI::App& app);
void add_plan(CLI::App& app);
void add_tune(CLI::App& app);
void add_info(CLI::App& app);

}  // namespace cornerturn::cli
