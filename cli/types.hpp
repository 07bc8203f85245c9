#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>

namespace cornerturn::cli {

/// The name in `type_names` of an element type: "f32" for "f32", "float32" or NumPy's code "<f4". Throws `error` for anything
/// else. NumPy's codes count bytes and need their byte order, because the project's names count bits: "f16" has 2 bytes.
std::string type_named(std::string_view text);

/// Adds --type to a command. `into` is set to a name in `type_names`.
CLI::Option* add_type(CLI::App& command, std::string& into, std::string const& what = "Element type");

}  // namespace cornerturn::cli
