#pragma once

#include <list>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/fork_safe_mutex.hpp"
#include "base/hash.hpp"
#include "cornerturn/cache.hpp"
#include "plan/prepared.hpp"

namespace cornerturn {

/// A cache of plans, keyed by the words of a `request_key`. It evicts the least recently used plan when it holds more than
/// `capacity` plans, or more than one plan and over `most_bytes` bytes. Any thread may use it.
class plan_cache {
 public:
  using plan = std::shared_ptr<prepared_plan const>;
  using key_view = std::span<std::int64_t const>;

  plan_cache(std::size_t capacity, std::size_t most_bytes) : capacity_(capacity), most_bytes_(most_bytes) {}

  /// Returns null if the key has no plan. Counts a hit or a miss.
  plan find(key_view key);

  /// Adds a plan. If the key has a plan already, because several threads missed it, that plan is kept.
  void insert(key_view key, plan value);

  cache_counters counters() const;
  void clear();

 private:
  struct entry {
    std::vector<std::int64_t> key;
    plan value;
    std::size_t bytes;
  };
  struct equal {
    bool operator()(key_view left, key_view right) const;
  };

  mutable fork_safe_mutex mutex_;
  std::size_t const capacity_, most_bytes_;
  std::size_t bytes_ = 0;
  std::list<entry> entries_;                                                              ///< most recently used first
  std::unordered_map<key_view, std::list<entry>::iterator, numbers_hash, equal> places_;  ///< the keys are views into `entries_`
  std::uint64_t hits_ = 0, misses_ = 0;
};

}  // namespace cornerturn
