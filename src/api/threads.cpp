#include "cornerturn/threads.hpp"

#include "base/refuse.hpp"
#include "cpu/threads.hpp"

namespace cornerturn {

void set_num_threads(int threads) {
  if (threads < 0) refuse("threads", threads, "0 or more");
  cpu::set_thread_count(threads);
}

int num_threads() { return cpu::thread_count(); }

}  // namespace cornerturn
