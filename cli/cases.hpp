#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "change.hpp"
#include "cornerturn/ladder.hpp"
#include "cornerturn/plan.hpp"

namespace cornerturn::cli {

/// A permutation of a dense array, as an argument of a command.
struct permutation_case {
  std::vector<std::int64_t> shape, axes;
  std::string type;
  change_arguments change = {};  ///< how elements change; by default they are copied

  std::string name() const;      ///< "256x3 u8 by 1,0", "256x3 u8 to f32 by 1,0, alpha 0.5", "one u8"
  double source_bytes() const;   ///< size of the array
  double read_bytes() const;     ///< size of the array and, with beta, of the result
  double written_bytes() const;  ///< size of the result
  double moved_bytes() const { return read_bytes() + written_bytes(); }

  /// The elements, which are copied or changed.
  elements element() const {
    return change.is_given() ? elements(change.operation(element_type_named(type))) : elements(type_size(type));
  }
};

/// Parses a case as the user writes it; without axes, all modes are reversed. Throws `error` for invalid text.
permutation_case case_of(std::string const& shape, std::optional<std::string> const& axes, std::string const& type);

/// The arguments of a command that describe a case, the processor and the alignments.
struct case_arguments {
  std::string shape, axes, type = "f32";
  change_arguments change;
  CLI::Option* axes_given = nullptr;
  plan_options options;
  estimated_gpu estimates = estimated_gpu::here;

  permutation_case parsed() const;
};

/// Adds these arguments to a command, which must not outlive `into`. If it only estimates, --device may also be h200, the GPU
/// that has a model and need not be there. Returns the option of the shape.
CLI::Option* add_case(CLI::App& command, case_arguments& into, bool only_estimates);

/// Reads the cases of a JSON file: a list of [shape, axes, type], as in bench/cases. Throws `error` for other contents.
std::vector<permutation_case> cases_in(std::string const& path);

}  // namespace cornerturn::cli
