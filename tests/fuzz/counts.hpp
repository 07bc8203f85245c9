#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/decisions.hpp"

namespace cornerturn::fuzz {

/// What one run of a plan adds to the plan's own decisions.
struct run_facts {
  bool begins_a_line;  ///< the destination begins where a cache line begins
  bool in_shares;      ///< several shares or threads moved it
  std::string_view target;
};

/// Counts the plans that were run and the calls that were made, by family and by each pair of decisions.
class decision_counts {
 public:
  /// `targets` are the sets of instructions that are drawn, and `calls` families of calls that have no plan of their own.
  explicit decision_counts(std::vector<std::string> targets, std::vector<counted_family> calls = {});

  void add(step const& each, run_facts const& run);
  /// A call of a family with the values of its decisions in order.
  void add(std::string_view family, std::vector<std::string_view> values, std::string_view target);
  void add(std::string_view family, std::vector<std::string_view> values);

  /// Writes all counts to a file, and adds those that another process has written.
  void write(std::FILE* file) const;
  void add_from(std::FILE* file);

  /// The pairs of these families that no rule calls unreachable and that were drawn fewer than `least` times, a line each; and
  /// the pairs that are called unreachable and were drawn.
  std::vector<std::string> complaints(std::vector<std::string> const& families, std::int64_t least) const;
  /// The number of plans with each value and with the rarest value beside it, as a table.
  std::string table() const;

 private:
  using pair = std::pair<std::string_view, std::string_view>;

  /// The value of a family with this name, whose characters outlive the counts.
  std::string_view known(std::size_t family, std::string_view value) const;
  bool is_unreachable(std::size_t family, std::string_view one, std::string_view other) const;

  std::vector<std::string> targets_;
  std::vector<counted_family> families_;
  std::vector<std::vector<counted_decision>> decisions_;  ///< by family, with those of a run
  std::vector<std::int64_t> runs_;                        ///< by family
  std::vector<std::map<pair, std::int64_t>> counts_;
};

}  // namespace cornerturn::fuzz
