#include "cpu/workers.hpp"

#include <fmt/format.h>

#include <atomic>
#include <vector>

#include "base/refuse.hpp"
#include "cpu/parallel_for.hpp"

namespace cornerturn::cpu {

void parallel_for(worker_threads const& workers, int count, std::function<void(int)> const& body) {
  first_exception thrown;
  std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
  workers.parallel_for(count, [&](int index) {
    if (index >= 0 && index < count && calls[std::size_t(index)]++ == 0) thrown.keep_from(body, index);
  });
  thrown.rethrow();
  for (int index = 0; index < count; ++index)
    if (int const times = calls[std::size_t(index)]; times != 1)
      refuse("workers.parallel_for", fmt::format("a function that called part {} of {} {} times", index, count, times),
             "one that calls each part once");
}

}  // namespace cornerturn::cpu
