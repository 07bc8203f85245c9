#include "cornerturn/threads.hpp"

#include <fmt/format.h>

#include <system_error>

#include "base/refuse.hpp"
#include "cornerturn/worker_threads.hpp"
#include "cpu/pooled_threads.hpp"
#include "cpu/threads.hpp"

namespace cornerturn {
namespace {

std::shared_ptr<pooled_threads> start_threads(int count) {
  try {
    return std::make_shared<pooled_threads>(count);
  } catch (std::system_error const&) {
    refuse("threads", count, "fewer, as the system starts no more");
  }
}

}  // namespace

void set_num_threads(int threads) {
  if (threads < 0) refuse("threads", threads, "0 or more");
  cpu::set_thread_count(threads);
}

int num_threads() { return cpu::thread_count(); }

thread_pool::thread_pool(int threads) {
  if (threads < 0) refuse("threads", threads, "0 or more");
  count_ = threads == 0 ? num_threads() : threads;
  threads_ = start_threads(count_);
}

worker_threads thread_pool::workers() const {
  return {.parallel_for = [threads = threads_](int count, std::function<void(int)> const& part) { threads->run(count, part); },
          .count = count_};
}

}  // namespace cornerturn
