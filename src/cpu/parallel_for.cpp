#include "cpu/parallel_for.hpp"

#include <fmt/format.h>
#include <hwy/cache_control.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "cornerturn/error.hpp"

namespace cornerturn::cpu {
namespace {

/// What a helper takes over from the thread for which it does a part.
class surroundings {
 public:
  surroundings() {
    ::sched_getaffinity(0, sizeof processors_, &processors_);
    std::fegetenv(&rounding_);
  }

  void take_over(surroundings const& caller) {
    if (!CPU_EQUAL(&processors_, &caller.processors_)) ::sched_setaffinity(0, sizeof processors_, &caller.processors_);
    *this = caller;
    std::fesetenv(&rounding_);
  }

 private:
  cpu_set_t processors_ = {};  ///< those that the thread may use; none if the system does not tell
  std::fenv_t rounding_ = {};  ///< how conversions round, and whether they flush subnormal numbers
};

/// A call of `parallel_for`, on the stack of its caller. The pool's mutex guards what changes.
struct shared_call {
  std::function<void(int)> const& body;
  int const count;
  surroundings const caller = {};
  int next = 1;                     ///< the first part that no thread has taken
  int helped = 0;                   ///< the number of parts that helpers do now
  shared_call* previous = nullptr;  ///< the call that began before this one and has not ended
};

/// Waits until a number is no longer `before`.
void wait_for_change(std::atomic<unsigned> const& number, unsigned before) {
  constexpr int kSpins = 1000;  // some tens of microseconds: a thread that sleeps may take as long to wake
  for (int i = 0; i < kSpins; ++i) {
    if (number.load(std::memory_order_acquire) != before) return;
    hwy::Pause();
  }
  number.wait(before, std::memory_order_acquire);
}

/// The helpers of the process.
class pool {
 public:
  /// Does the first part of a call, and all parts that helpers do not do.
  void run(shared_call& call) {
    int const parts = call.count - 1;
    lock held(mutex_);
    call.previous = std::exchange(last_, &call);
    unfinished_ += parts;
    start_helpers(parts);
    int const woken = std::min(parts, helpers_);
    ++offers_;
    held.unlock();
    for (int i = 0; i < woken; ++i) offers_.notify_one();
    call.body(0);

    held.lock();
    while (call.next < call.count) {
      int const part = call.next++;
      held.unlock();
      call.body(part);
      held.lock();
      --unfinished_;
    }
    remove(call);
    while (call.helped > 0) wait(ended_, held);
  }

 private:
  using lock = std::unique_lock<std::mutex>;

  /// Starts helpers for all parts of calls, as far as the system does: at most one for each processor, or for each part of a
  /// call.
  void start_helpers(int parts) {
    if (helpers_ >= unfinished_) return;
    if (processors_ == 0) processors_ = int(std::thread::hardware_concurrency());
    int const most = std::min(unfinished_, std::max(parts, processors_));
    while (helpers_ < most && start()) ++helpers_;
  }

  /// Starts a helper, or returns false. Signals are left to the program's own threads, besides those of a helper's own faults.
  bool start() {
    sigset_t blocked, before;
    ::sigfillset(&blocked);
    for (int const fault : {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP}) ::sigdelset(&blocked, fault);
    ::pthread_sigmask(SIG_SETMASK, &blocked, &before);
    pthread_t thread;
    auto const help = [](void* of) -> void* { static_cast<pool*>(of)->help(); };
    bool const started = ::pthread_create(&thread, nullptr, help, this) == 0;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (started) ::pthread_detach(thread);
    return started;
  }

  /// Does parts of calls, the latest call first, and sleeps while there are none.
  [[noreturn]] void help() {
    ::pthread_setname_np(::pthread_self(), "cornerturn");
    surroundings own;
    for (lock held(mutex_);;) {
      shared_call* call = last_;
      while (call && call->next == call->count) call = call->previous;
      if (!call) {
        wait(offers_, held);
        continue;
      }
      int const part = call->next++;
      ++call->helped;
      held.unlock();
      own.take_over(call->caller);
      call->body(part);
      held.lock();
      --unfinished_;
      if (--call->helped > 0) continue;
      ++ended_;
      ended_.notify_all();
    }
  }

  void remove(shared_call const& call) {
    auto** place = &last_;
    while (*place != &call) place = &(*place)->previous;
    *place = call.previous;
  }

  /// Waits for the next change, without the mutex.
  static void wait(std::atomic<unsigned> const& changes, lock& held) {
    unsigned const seen = changes;
    held.unlock();
    wait_for_change(changes, seen);
    held.lock();
  }

  std::mutex mutex_;
  shared_call* last_ = nullptr;
  int helpers_ = 0;                   ///< threads that were started
  int unfinished_ = 0;                ///< parts of all calls, but first ones, that have not ended
  int processors_ = 0;                ///< processors of the machine; 0 before the first helper starts
  std::atomic<unsigned> offers_ = 0;  ///< calls that have begun
  std::atomic<unsigned> ended_ = 0;   ///< how often all helpers of a call were done
};

/// The pool is never destroyed, because its helpers never end.
constinit pool the_pool;
static_assert(std::is_trivially_destructible_v<pool>);

/// A child after fork begins with a new pool: it has no helpers, and another thread may have held the mutex.
[[maybe_unused]] int const registered = ::pthread_atfork(nullptr, nullptr, [] { std::construct_at(&the_pool); });

}  // namespace

void first_exception::keep_from(std::function<void(int)> const& body, int index) noexcept {
  try {
    body(index);
  } catch (...) {
    std::lock_guard const lock(mutex_);
    if (!first_) first_ = std::current_exception();
  }
}

void first_exception::rethrow() const {
  if (first_) std::rethrow_exception(first_);
}

void parallel_for(int count, std::function<void(int)> const& body) {
  if (count == 1) return body(0);
  first_exception thrown;
  std::function<void(int)> const part = [&](int index) { thrown.keep_from(body, index); };
  shared_call call{part, count};
  the_pool.run(call);
  thrown.rethrow();
}

void parallel_for(worker_threads const& workers, int count, std::function<void(int)> const& body) {
  first_exception thrown;
  std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
  workers.parallel_for(count, [&](int index) {
    if (index >= 0 && index < count && calls[std::size_t(index)]++ == 0) thrown.keep_from(body, index);
  });
  thrown.rethrow();
  for (int index = 0; index < count; ++index)
    if (int const times = calls[std::size_t(index)]; times != 1)
      throw error({"workers.parallel_for", fmt::format("part {} of {} {} times", index, count, times), "each part once"},
                  fmt::format("{{}} called part {} of {} {} times; it must call each part once", index, count, times));
}

}  // namespace cornerturn::cpu
