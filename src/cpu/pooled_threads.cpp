#include "cpu/pooled_threads.hpp"

#include <hwy/cache_control.h>
#include <unistd.h>

#include <algorithm>

namespace cornerturn {
namespace {

/// Waits until a number is no longer `before`.
template <class Number>
void wait_for_change(std::atomic<Number> const& number, Number before) {
  constexpr int kSpins = 1000;
  for (int i = 0; i < kSpins; ++i) {
    if (number.load(std::memory_order_acquire) != before) return;
    hwy::Pause();
  }
  number.wait(before, std::memory_order_acquire);
}

}  // namespace

pooled_threads::pooled_threads(int count) : process_(::getpid()) {
  try {
    for (int index = 1; index < count; ++index) {
      auto& added = workers_.emplace_back();
      added.thread = std::thread([this, &added, index] { work(added, index); });
    }
  } catch (...) {
    workers_.pop_back();
    end();
    throw;
  }
}

pooled_threads::~pooled_threads() { end(); }

void pooled_threads::run(int count, std::function<void(int)> const& part) {
  std::unique_lock const turn(turn_, std::try_to_lock);
  int const helpers = turn && has_threads() ? std::min(count - 1, int(workers_.size())) : 0;
  if (helpers > 0) {
    part_ = &part;
    pending_ = helpers;
  }
  for (int i = 0; i < helpers; ++i) wake(workers_[std::size_t(i)]);
  part(0);
  for (int index = helpers + 1; index < count; ++index) part(index);
  if (helpers == 0) return;
  while (int const left = pending_.load(std::memory_order_acquire)) wait_for_change(pending_, left);
}

void pooled_threads::work(worker& self, int index) {
  for (std::uint32_t calls = 0;; ++calls) {
    wait_for_change(self.calls, calls);
    if (!part_) return;
    (*part_)(index);
    if (pending_.fetch_sub(1, std::memory_order_acq_rel) == 1) pending_.notify_one();
  }
}

void pooled_threads::wake(worker& each) {
  each.calls.fetch_add(1, std::memory_order_release);
  each.calls.notify_one();
}

void pooled_threads::end() {
  part_ = nullptr;
  for (auto& each : workers_) {
    if (has_threads()) {
      wake(each);
      each.thread.join();
    } else {
      each.thread.detach();
    }
  }
}

bool pooled_threads::has_threads() const { return ::getpid() == process_; }

}  // namespace cornerturn
