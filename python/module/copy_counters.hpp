#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "copy_rule.hpp"

namespace cornerturn::python {

/// Counts the copies of one place by their verdicts. Threads may use it at the same time.
class copy_counters {
 public:
  void reset();

  void count(copy_verdict verdict) { copies_[std::size_t(verdict)].fetch_add(1, std::memory_order_relaxed); }
  void add_bytes(std::int64_t bytes) { bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  std::int64_t copies(copy_verdict verdict) const { return copies_[std::size_t(verdict)].load(std::memory_order_relaxed); }
  std::int64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }  ///< bytes that the taken copies wrote

  /// Keeps the first message of the library.
  void note_refusal(std::string_view message);
  std::string refusal() const;

  /// GPUs for which the library has failed, so that no copy on them is tried again. All GPUs from number 63 on are one.
  void refuse(int device) { refused_.fetch_or(bit_of(device), std::memory_order_relaxed); }
  bool is_refused(int device) const { return refused_.load(std::memory_order_relaxed) & bit_of(device); }

 private:
  static std::uint64_t bit_of(int device) { return std::uint64_t(1) << (device < 63 ? device : 63); }

  std::array<std::atomic<std::int64_t>, copy_verdict_names.size()> copies_{};
  std::atomic<std::int64_t> bytes_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
  std::atomic<std::shared_ptr<std::string const>> refusal_;  ///< null if there was none
};

copy_counters& counters_of(copy_place place);

}  // namespace cornerturn::python
