#include "base/fork_safe_mutex.hpp"

#include <pthread.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "base/fork_safe_static.hpp"

namespace cornerturn {
namespace {

struct registry {
  std::mutex mutex;
  std::vector<fork_safe_mutex*> all;
};

registry& the_registry() {
  static constinit fork_safe_static<registry> instance;
  return instance.get([] { return registry(); });
}

/// Locks all mutexes or none. Callers may hold one while they lock another, in an order that is unknown here.
void lock_all() {
  auto& known = the_registry();
  known.mutex.lock();
  for (auto& all = known.all;;) {
    auto const busy = std::ranges::find_if(all, [](fork_safe_mutex* each) { return !each->try_lock(); });
    if (busy == all.end()) return;
    std::for_each(all.begin(), busy, [](fork_safe_mutex* each) { each->unlock(); });
    std::this_thread::yield();
  }
}

void unlock_all() {
  auto& known = the_registry();
  for (auto* each : known.all) each->unlock();
  known.mutex.unlock();
}

/// Installs the fork handlers when the library is loaded, before a thread can hold the registry's mutex while another one forks.
[[maybe_unused]] int const registered = ::pthread_atfork(lock_all, unlock_all, unlock_all);

}  // namespace

fork_safe_mutex::fork_safe_mutex() {
  auto& known = the_registry();
  std::lock_guard const lock(known.mutex);
  known.all.push_back(this);
}

fork_safe_mutex::~fork_safe_mutex() {
  auto& known = the_registry();
  std::lock_guard const lock(known.mutex);
  std::erase(known.all, this);
}

}  // namespace cornerturn
