#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "block/recording.hpp"
#include "cornerturn/explain.hpp"

namespace cornerturn {

/// What one block did, and how many blocks of the launch do the same.
struct recorded_block {
  std::int64_t count = 1;
  recording record;
};

/// Counts the requests of a launch by instruction, in the order in which a thread meets these. Global addresses are told from
/// `origin`. A request none of whose lanes is active does not count.
class instruction_counts {
 public:
  explicit instruction_counts(std::uint64_t origin) : origin_(origin) {}
  void add(recording const& record, std::int64_t count);
  std::vector<memory_instruction> const& all() const { return all_; }

 private:
  std::uint64_t origin_;
  std::vector<memory_instruction> all_;
  std::map<std::tuple<source_place, memory_space, bool>, std::size_t> known_;  ///< which of all
  std::vector<std::int64_t> first_blocks_;                                     ///< in which each was met
};
std::vector<memory_instruction> instructions_of(std::vector<recorded_block> const& blocks, std::uint64_t origin);

/// How much more a request costs than it should.
double excess(memory_request const& each);
/// The sample that costs most for what it should.
memory_request const& worst_sample(memory_instruction const& each);

/// "shared load at smem.hpp:87", "global store of boxes at tma.hpp:85"; without the place where there is none.
std::string name_of(memory_instruction const& each);

}  // namespace cornerturn
