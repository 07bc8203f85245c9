#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>

#include "cases.hpp"
#include "cornerturn/explain.hpp"
#include "cornerturn/plan.hpp"

namespace cornerturn::cli {

/// The arguments of a command for a matrix that is quantised instead of permuted.
struct quantize_arguments {
  std::string scales, outputs = "rows";

  bool is_given() const { return !scales.empty(); }

  /// The matrix whose shape and types a command has. Throws `error` for a shape of other than two axes, without a type to which
  /// elements change, and for words that --scales and --outputs do not have.
  quantized_case matrix_of(permutation_case const& asked) const;

  /// Throws `error` for options of a command that plans a matrix. `devices` are the devices that the command has besides the CPU.
  void refuse_options(plan_options const& options, std::string_view devices) const;

  std::string name_of(permutation_case const& asked) const;  ///< "8192x8192 bf16 to f8_e4m3fn, scales of 1x128, outputs rows"
};

/// Adds --scales and --outputs to a command that has the options of `add_change` already, under a heading of its help.
void add_quantize(CLI::App& command, quantize_arguments& into, std::string const& heading);

}  // namespace cornerturn::cli
