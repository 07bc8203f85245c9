#include "cpu/parallel_for.hpp"

#include <fmt/format.h>
#include <hwy/cache_control.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <cfenv>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "cornerturn/error.hpp"
#include "cpu/sizes.hpp"
#include "cpu/threads.hpp"

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

/// A call of `parallel_for`, on the stack of its caller.
struct shared_call {
  std::function<void(int)> const& body;
  int const count;
  surroundings const caller = {};
  std::atomic<int> next = 1;        ///< the first part that no thread has taken
  std::atomic<int> finished = 0;    ///< helpers that have ended their work on the call
  int joined = 0;                   ///< helpers that found the call in the pool's list
  shared_call* previous = nullptr;  ///< in the pool's list

  /// Does parts until all are taken.
  void do_parts() {
    for (int part = next++; part < count; part = next++) body(part);
  }
};

/// Waits until a value is no longer `before`. It sleeps only after a while, because a sleeping thread takes as long to wake.
template <class T>
void wait_for_change(std::atomic<T> const& value, T before, bool spins) {
  constexpr std::chrono::microseconds kSpin{100};
  constexpr int kPauses = 16;  // between two looks at the clock
  if (spins) {
    auto const end = std::chrono::steady_clock::now() + kSpin;
    do
      for (int i = 0; i < kPauses; ++i) {
        if (value.load(std::memory_order_acquire) != before) return;
        hwy::Pause();
      }
    while (std::chrono::steady_clock::now() < end);
  }
  value.wait(before, std::memory_order_acquire);
}

/// The helpers of the process. A caller offers its call to idle helpers, each through a cache line of its own, and takes back
/// what no helper has accepted when all parts are taken. If there are too few idle helpers, the call is also listed, for helpers
/// that finish other calls.
class pool {
 public:
  /// Does the first part of a call, and all parts that helpers do not take.
  void run(shared_call& call) {
    int const wanted = call.count - 1;
    std::bitset<kMost> offered;
    int offers = 0, seen = 0;
    auto const offer = [&] {
      for (; seen < started_ && offers < wanted; ++seen)
        if (auto& each = helpers_[std::size_t(seen)].call; change(each, nullptr, &call))
          each.notify_one(), offered.set(std::size_t(seen)), ++offers;
    };
    offer();
    if (offers < wanted && start_helpers(wanted, wanted - offers)) offer();
    bool const is_listed = offers < wanted;
    if (is_listed) list(call);
    call.body(0);
    call.do_parts();

    int accepted = is_listed ? unlist(call) : 0;
    for (std::size_t i = 0; i < kMost && offers > 0; ++i)
      if (offered[i]) --offers, accepted += !change(helpers_[i].call, &call, nullptr);
    for (unsigned before = ended_; call.finished < accepted; before = ended_) wait_for_change(ended_, before, spins_);
  }

 private:
  static constexpr std::size_t kMost = 1024;  ///< helpers of a process

  struct alignas(kCacheLine) helper {
    std::atomic<shared_call*> call = nullptr;  ///< an offer; null while the helper is idle
  };

  /// Replaces a helper's call, if it is `before`. Returns false if it is not.
  static bool change(std::atomic<shared_call*>& call, shared_call* before, shared_call* after) {
    return call.load(std::memory_order_relaxed) == before && call.compare_exchange_strong(before, after);
  }

  /// Starts up to `more` helpers for a call that wants `wanted`, as far as the system does: at most one for each processor, or
  /// for each part of the call. Returns false if it starts none.
  bool start_helpers(int wanted, int more) {
    std::lock_guard const held(mutex_);
    if (processors_ == 0) processors_ = int(std::thread::hardware_concurrency());
    spins_ = granted_processors() >= processors_;
    int const before = started_, most = std::min({before + more, std::max(wanted, processors_), int(kMost)});
    while (started_ < most && start(helpers_[std::size_t(started_)])) ++started_;
    return started_ > before;
  }

  /// Starts a helper, or returns false. Signals are left to the program's own threads, besides those of a helper's own faults.
  bool start(helper& each) {
    sigset_t blocked, before;
    ::sigfillset(&blocked);
    for (int const fault : {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP}) ::sigdelset(&blocked, fault);
    ::pthread_sigmask(SIG_SETMASK, &blocked, &before);
    pthread_t thread;
    auto const help = [](void* own) -> void* { help_as(*static_cast<helper*>(own)); };
    bool const started = ::pthread_create(&thread, nullptr, help, &each) == 0;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (started) ::pthread_detach(thread);
    return started;
  }

  /// Does parts of calls, and sleeps while there are none.
  [[noreturn]] static void help_as(helper& own);

  void list(shared_call& call) {
    std::lock_guard const held(mutex_);
    call.previous = std::exchange(last_, &call);
    ++listed_;
  }

  /// Takes a call from the list. Returns the number of helpers that joined it.
  int unlist(shared_call const& call) {
    std::lock_guard const held(mutex_);
    auto** place = &last_;
    while (*place != &call) place = &(*place)->previous;
    *place = call.previous;
    --listed_;
    return call.joined;
  }

  /// A listed call that has parts, the latest first. Null if there is none.
  shared_call* join_listed() {
    std::lock_guard const held(mutex_);
    for (auto* call = last_; call; call = call->previous)
      if (call->next < call->count) return ++call->joined, call;
    return nullptr;
  }

  std::array<helper, kMost> helpers_;
  std::atomic<int> started_ = 0;     ///< helpers that were started
  std::atomic<bool> spins_ = false;  ///< false if the process may not use the time of all processors
  std::atomic<unsigned> ended_ = 0;  ///< how often a helper has ended its work on a call
  std::atomic<int> listed_ = 0;      ///< calls in the list
  std::mutex mutex_;                 ///< for the rest
  shared_call* last_ = nullptr;      ///< the list of calls that want more helpers
  int processors_ = 0;               ///< processors of the machine; 0 before the first helper starts
};

/// The pool is never destroyed, because its helpers never end.
constinit pool the_pool;
static_assert(std::is_trivially_destructible_v<pool>);

void pool::help_as(helper& own) {
  ::pthread_setname_np(::pthread_self(), "cornerturn");
  auto* const busy = reinterpret_cast<shared_call*>(&own);  // no call's address
  surroundings around;
  auto const work_on = [&](shared_call& call) {
    around.take_over(call.caller);
    call.do_parts();
  };
  auto const end = [](shared_call& call) {
    ++call.finished;  // after this the call may be gone
    ++the_pool.ended_;
    the_pool.ended_.notify_all();
  };
  for (;;) {
    wait_for_change<shared_call*>(own.call, nullptr, the_pool.spins_);
    auto* call = own.call.load();
    if (!call || !change(own.call, call, busy)) continue;
    work_on(*call);
    // A helper is idle before the caller goes on, so that the caller's next call finds it.
    bool const is_idle = the_pool.listed_ == 0;
    if (is_idle) own.call = nullptr;
    end(*call);
    if (is_idle) continue;
    while ((call = the_pool.join_listed())) work_on(*call), end(*call);
    own.call = nullptr;
  }
}

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
