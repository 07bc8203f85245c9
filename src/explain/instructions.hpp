#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "block/recording.hpp"
#include "cornerturn/explain.hpp"

namespace cornerturn {

/// The accesses of one block, and the number of blocks of the launch with the same accesses.
struct recorded_block {
  std::int64_t count = 1;
  recording record;
};

/// Counts the requests of a launch per instruction. Instructions keep the order in which a thread executes them. Reported global
/// addresses count from `origin`. Requests without active lanes are not counted.
class instruction_counts {
 public:
  explicit instruction_counts(std::uint64_t origin) : origin_(origin) {}
  void add(recording const& record, std::int64_t count);
  std::vector<memory_instruction> const& all() const { return all_; }

 private:
  std::uint64_t origin_;
  std::vector<memory_instruction> all_;
  std::map<std::tuple<source_place, memory_space, bool, int>, std::size_t> known_;  ///< index into all_
  std::vector<std::int64_t> first_blocks_;  ///< for each of all_: the first block that executes it
};
std::vector<memory_instruction> instructions_of(std::vector<recorded_block> const& blocks, std::uint64_t origin);

/// The cost of a request divided by its ideal cost.
double excess(memory_request const& each);
/// The sample with the greatest excess.
memory_request const& worst_sample(memory_instruction const& each);

/// The sums of all counts: "32 wavefronts of shared memory, 1 would do; 4 sectors of global memory, 4 would do".
std::string sums_text(std::vector<memory_instruction> const& instructions);

/// "shared load at smem.hpp:87", "global store of boxes at tma.hpp:85"; without file and line if they are unknown.
std::string name_of(memory_instruction const& each);

}  // namespace cornerturn
