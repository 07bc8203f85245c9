#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "cornerturn/cache.hpp"
#include "plan/prepared.hpp"

namespace cornerturn {

/// Plans by the words of a `request_key`, at most so many; the one not asked for longest goes first. Any thread may use it.
class plan_cache {
 public:
  using plan = std::shared_ptr<prepared_plan const>;
  using key_view = std::span<std::int64_t const>;

  explicit plan_cache(std::size_t capacity) : capacity_(capacity) {}

  /// Null where there is none. Counts a hit or a miss.
  plan find(key_view key);

  /// Where several threads missed one key, the first plan stays.
  void insert(key_view key, plan value);

  cache_counters counters() const;
  void clear();

 private:
  struct entry {
    std::vector<std::int64_t> key;
    plan value;
  };
  struct hash {
    std::size_t operator()(key_view key) const;
  };
  struct equal {
    bool operator()(key_view left, key_view right) const;
  };

  mutable std::mutex mutex_;
  std::size_t const capacity_;
  std::list<entry> entries_;                                                      ///< the last used first
  std::unordered_map<key_view, std::list<entry>::iterator, hash, equal> places_;  ///< its keys lie in `entries_`
  std::uint64_t hits_ = 0, misses_ = 0;
};

}  // namespace cornerturn
