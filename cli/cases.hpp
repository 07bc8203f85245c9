#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cornerturn/plan.hpp"

namespace cornerturn::cli {

/// A permutation of a dense array that a command is asked about.
struct permutation_case {
  std::vector<std::int64_t> shape, axes;
  std::string type;

  std::string name() const;  ///< "256x3 u8 by 1,0"
  double bytes() const;      ///< of the array
};

/// The case as a user writes it; where no axes are given, all are reversed. Throws `error` for what cannot be read.
permutation_case case_of(std::string const& shape, std::optional<std::string> const& axes, std::string const& type);

/// The arguments that say which case, and for which memory.
struct case_arguments {
  std::string shape, axes, type = "f32";
  CLI::Option* axes_given = nullptr;
  plan_options options;

  permutation_case parsed() const;
};

/// Adds these arguments to a command; they must live as long as it. Returns the shape's option.
CLI::Option* add_case(CLI::App& command, case_arguments& into);

/// The cases of a JSON file: a list of [shape, axes, type], as those in bench/cases. Throws `error` for anything else.
std::vector<permutation_case> cases_in(std::string const& path);

}  // namespace cornerturn::cli
