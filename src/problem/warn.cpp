#include "problem/warn.hpp"

#include <cstdio>
#include <mutex>

#include "cornerturn/log.hpp"
#include "problem/fork_safe_mutex.hpp"

namespace cornerturn {
namespace {

struct log {
  fork_safe_mutex mutex;
  std::function<void(std::string_view)> hook;
};

/// Never destroyed, as threads may outlive the end of main.
log& the_log() {
  static log& instance = *new log;
  return instance;
}

}  // namespace

void set_log_hook(std::function<void(std::string_view)> hook) {
  std::lock_guard const lock(the_log().mutex);
  the_log().hook = std::move(hook);
}

void warn(std::string_view message) noexcept try {
  auto& log = the_log();
  std::lock_guard const lock(log.mutex);
  if (log.hook)
    log.hook(message);
  else
    std::fprintf(stderr, "cornerturn: %.*s\n", int(message.size()), message.data());
} catch (...) {
}

}  // namespace cornerturn
