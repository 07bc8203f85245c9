#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "code/run.hpp"

namespace cornerturn {

/// The arrays of a code and the accesses to them, collected thread by thread.
class code_memory {
 public:
  explicit code_memory(program const& code) : code_(code) {}

  std::vector<code_array> const& arrays() const { return arrays_; }

  /// The array that a declaration makes, which all threads share.
  std::size_t declare(code_node const& node, std::vector<std::int64_t> extents);

  /// One access of a thread.
  struct access {
    code_node const* node;
    std::size_t array;
    bool store = false, async = false;
    std::uint64_t address = 0;
    int bytes = 0;
    std::uint64_t smem_address = 0;
    int smem_granule = 0;
    std::uint64_t source_address = 0;
    bool matrix_row = false;
    bool box = false;
  };
  /// Adds an access in the iterations of the loops around it.
  void add(access const& each, int thread, std::vector<int> const& iterations);

  /// Notes that TMA copies from or to an array in shared memory.
  void copied_by_tma(std::size_t array, tma_copies copies);

  /// Moves all accesses to the result.
  void finish(code_run& into);

 private:
  static constexpr int kMostAccesses = 1 << 18;

  struct lane {
    int thread;
    access made;
  };

  program const& code_;
  std::vector<code_array> arrays_;
  std::map<code_node const*, std::size_t> known_arrays_;
  std::map<std::pair<code_node const*, int>, int> known_sites_;
  std::vector<code_site> sites_;
  std::map<std::pair<int, std::vector<int>>, std::vector<lane>> accesses_;  // by site and iterations
  std::uint64_t shared_end_ = 0;
  int count_ = 0;
};

}  // namespace cornerturn
