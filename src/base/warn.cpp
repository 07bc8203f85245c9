#include "base/warn.hpp"

#include <cstdio>
#include <memory>
#include <mutex>

#include "base/fork_safe_mutex.hpp"
#include "base/fork_safe_static.hpp"
#include "cornerturn/log.hpp"

namespace cornerturn {
namespace {

using log_hook = std::function<void(std::string_view)>;

struct log {
  fork_safe_mutex mutex;
  std::shared_ptr<log_hook const> hook;  ///< a caller keeps it alive during the call

  std::shared_ptr<log_hook const> current() {
    std::lock_guard const lock(mutex);
    return hook;
  }
};

log& the_log() {
  static constinit fork_safe_static<log> instance;
  return instance.get([] { return log(); });
}

}  // namespace

void set_log_hook(std::function<void(std::string_view)> hook) {
  // Declared before the lock, so that the old hook is destroyed after the lock is released.
  auto next = hook ? std::make_shared<log_hook const>(std::move(hook)) : nullptr;
  std::lock_guard const lock(the_log().mutex);
  the_log().hook.swap(next);
}

void warn(std::string_view message) noexcept try {
  if (auto const hook = the_log().current())
    (*hook)(message);
  else
    std::fprintf(stderr, "cornerturn: %.*s\n", int(message.size()), message.data());
} catch (...) {
}

}  // namespace cornerturn
