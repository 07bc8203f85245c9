#include "cpu/run.hpp"

#include <algorithm>
#include <atomic>

#include "cpu/parallel_for.hpp"
#include "cpu/threads.hpp"

namespace cornerturn::cpu {
int threads_for(std::int64_t bytes, std::int64_t parts, thread_limits const& limits, worker_threads const* workers) {
  auto const worth = std::min(bytes / limits.share, parts);
  if (worth <= 1) return 1;
  int const most = !workers           ? thread_count(limits.most)
                   : limits.most == 0 ? workers->count
                                      : std::min(workers->count, limits.most);
  return int(std::min<std::int64_t>(worth, most));
}

int threads_worth(std::int64_t bytes, thread_limits const& limits) { return threads_for(bytes, bytes, limits); }

int threads_with_memory(thread_memory const& needed, run_context const& context) {
  return std::min(needed.threads, context.memory->threads());
}

void do_parts(worker_threads const* workers, int count, std::function<void(int)> const& body) {
  workers ? parallel_for(*workers, count, body) : parallel_for(count, body);
}

void do_shares(run_context const& context, int count, std::int64_t bytes,
               std::function<void(int, reporter const&)> const& share) {
  auto const* const progress = context.progress;
  std::atomic<std::int64_t> done = 0;
  std::atomic<bool> failed = false;
  reporter const add = [&](std::int64_t moved) {
    done += moved;
    return !failed;
  };
  reporter const add_and_tell = [&](std::int64_t moved) {
    bool const on = add(moved);
    if (on && progress) (*progress)(double(done) / double(bytes));
    return on;
  };
  do_parts(context.workers, count, [&](int index) {
    try {
      share(index, index == 0 ? add_and_tell : add);
    } catch (...) {
      failed = true;
      throw;
    }
  });
  if (progress && count > 1) (*progress)(1);
}

}  // namespace cornerturn::cpu
