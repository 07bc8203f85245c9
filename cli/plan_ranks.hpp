#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include "cases.hpp"

namespace cornerturn::cli {

/// The number of candidates or messages that are listed if not all are asked for.
inline constexpr std::size_t kListed = 5;

/// The arguments of `cornerturn plan` about ranks, as the user writes them. Without a grid there are no ranks.
struct ranks_arguments {
  std::string grid, shards, result_grid, result_shards;
  int rank = 0;
  std::vector<CLI::Option const*> unused = {};  ///< options of the command that mean nothing for ranks
};

/// Adds these arguments to a command, which must not outlive `into` and which has the options of `add_case` already.
void add_ranks(CLI::App& command, ranks_arguments& into);

/// A plan over ranks as it is printed, and as JSON.
struct ranks_report {
  std::string text, json;
};

/// Plans for all ranks, and describes the messages of one: all of them or the first few. Throws `error` for wrong arguments.
ranks_report plan_over_ranks(permutation_case const& asked, ranks_arguments const& arguments, bool every);

}  // namespace cornerturn::cli
