#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>

#include "cornerturn/element_type.hpp"

namespace cornerturn::cli {

/// The name in `type_names` of an element type: "f32" for "f32", "float32" or NumPy's code "<f4". Throws `error` for anything
/// else. NumPy's codes count bytes and need their byte order, because the project's names count bits: "f16" has 2 bytes.
std::string type_named(std::string_view text);

/// The type of elements that change: a name of `element_type`, or NumPy's name or code. Names come first: "u8" has 8 bits. Throws
/// `error`, which names the argument, for anything else, the other byte order included, and for "f8", which has 8 bytes in NumPy.
element_type changed_type_named(std::string_view text, std::string_view name);

/// The same for --dtype, as in NumPy and in either byte order. Throws `error` for u8 and i8, too, which have 8 bits in one
/// notation and 8 bytes in the other.
element_type dtype_named(std::string_view text);

/// Adds --type to a command. `into` is set to a name in `type_names`.
CLI::Option* add_type(CLI::App& command, std::string& into, std::string const& what = "Element type");

}  // namespace cornerturn::cli
