#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace cornerturn::cli {

/// The help of a command as CLI11 prints it, without the lists of options that an option needs or excludes. The descriptions say
/// what an option needs, and an error says what it excludes.
class help_formatter : public CLI::Formatter {
 public:
  help_formatter() {
    column_width(24);
    label("SUBCOMMAND", "COMMAND");
  }

  /// "TYPE=f32" for an option with a value.
  std::string make_option_opts(CLI::Option const* option) const override {
    if (option->get_type_size() == 0) return {};
    auto const type = option->get_type_name(), usual = option->get_default_str();
    return (type.empty() ? "" : " " + type) + (usual.empty() ? "" : "=" + usual);
  }

  /// With one empty line between two groups of options.
  std::string make_help(CLI::App const* app, std::string name, CLI::AppFormatMode mode) const override {
    return CLI::detail::find_and_replace(CLI::Formatter::make_help(app, name, mode), "\n\n\n", "\n\n");
  }
};

}  // namespace cornerturn::cli
