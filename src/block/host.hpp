#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <utility>

#include "block/fibers.hpp"
#include "block/recording.hpp"

namespace cornerturn {

/// A block on the host: its threads are fibers, sync() yields. Given a recording, it writes down every access.
class host_block {
 public:
  host_block(int threads, std::size_t shared_bytes, recording* record = nullptr)
      : threads_(threads), shared_(new (kAlignment) std::byte[shared_bytes]), record_(record) {}

  /// Runs body once per thread as block number `index` of the grid.
  void run(std::int64_t index, std::function<void()> const& body) {
    index_ = index;
    visits_.clear();
    threads_.run(body);
  }

  int thread() const { return threads_.current(); }
  std::int64_t index() const { return index_; }
  void sync() { threads_.yield(); }
  template <class T, int Count>
  T* shared() const {
    return reinterpret_cast<T*>(shared_.get());
  }

  template <int V, class T>
  void global_load(T const* from, T* to, bool active, char const* file = __builtin_FILE(), int line = __builtin_LINE()) {
    note({file, line}, memory_space::global, false, active, from, V * sizeof(T));
    if (active)
      std::memcpy(to, from, V * sizeof(T));
    else
      std::memset(static_cast<void*>(to), 0, V * sizeof(T));
  }
  template <int V, class T>
  void global_store(T* to, T const* from, bool active, char const* file = __builtin_FILE(), int line = __builtin_LINE()) {
    note({file, line}, memory_space::global, true, active, to, V * sizeof(T));
    if (active) std::memcpy(to, from, V * sizeof(T));
  }
  template <int V, class T>
  void shared_load(T const* from, T* to, char const* file = __builtin_FILE(), int line = __builtin_LINE()) {
    note({file, line}, memory_space::shared, false, true, from, V * sizeof(T));
    std::memcpy(to, from, V * sizeof(T));
  }
  template <int V, class T>
  void shared_store(T* to, T const* from, char const* file = __builtin_FILE(), int line = __builtin_LINE()) {
    note({file, line}, memory_space::shared, true, true, to, V * sizeof(T));
    std::memcpy(to, from, V * sizeof(T));
  }

 private:
  static constexpr std::align_val_t kAlignment{1024};
  struct release {
    void operator()(std::byte* memory) const { ::operator delete[](memory, kAlignment); }
  };

  void note(source_place place, memory_space space, bool store, bool active, void const* at, int bytes) {
    if (!record_) return;
    auto const address = reinterpret_cast<std::uintptr_t>(at);
    auto const origin = space == memory_space::shared ? reinterpret_cast<std::uintptr_t>(shared_.get()) : 0;
    record_->accesses.push_back(
        {thread(), place, visits_[{thread(), place}]++, space, store, active, address - origin, bytes, index_});
  }

  fiber_team threads_;
  std::unique_ptr<std::byte[], release> shared_;
  recording* record_;
  std::map<std::pair<int, source_place>, int> visits_;
  std::int64_t index_ = 0;
};

}  // namespace cornerturn
