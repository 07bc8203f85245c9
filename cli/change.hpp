#pragma once

#include <CLI/CLI.hpp>

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cornerturn/element_operation.hpp"

namespace cornerturn::cli {

/// How elements change, as the options of a command say.
struct change_arguments {
  std::optional<element_type> to;  ///< the new type of elements; none: the source's type
  double alpha = 1, beta = 0;
  bool conjugate = false, saturate = false;

  bool is_given() const { return to || alpha != 1 || beta != 0 || conjugate || saturate; }

  /// The operation on elements of a type.
  element_operation operation(element_type source) const;

  std::string name() const;  ///< all changes except the type, each after a comma: ", alpha 0.5, conjugate"

  /// Adds the given arguments to a report.
  void write(nlohmann::ordered_json& report) const;
};

/// The heading in the help of the options by which elements change.
inline constexpr char const* kOfChanges = "Elements that change";

/// Adds --to, --alpha, --beta, --conj and --saturate to a command, under a heading of its help. Returns the options.
std::vector<CLI::Option*> add_change(CLI::App& command, change_arguments& into, std::string const& heading);

}  // namespace cornerturn::cli
