#include "engine/cpu/stopwatch.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <variant>

#include "cornerturn/error.hpp"
#include "cpu/families.hpp"
#include "measure/clock.hpp"

namespace cornerturn::cpu {
namespace {

/// A larger problem is timed by a part of it.
constexpr std::int64_t kMostBytes = 16 << 20;

/// The memory of one side, and the place of element (0, …, 0) in it. Pages that are not touched cost nothing. The memory is
/// shared, because reading private memory that was never written reads one page of zeros over and over.
class side_memory {
 public:
  explicit side_memory(byte_range const& range)
      : bytes_(std::size_t(std::max<std::int64_t>(range.high, 0) - std::min<std::int64_t>(range.low, 0))) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory_ == MAP_FAILED) throw error(error_kind::memory, fmt::format("no room for the {} bytes that timing takes", bytes_));
    first = static_cast<std::byte*>(memory_) - std::min<std::int64_t>(range.low, 0);
  }
  side_memory(side_memory const&) = delete;
  ~side_memory() { munmap(memory_, bytes_); }

  std::byte* first;

 private:
  std::size_t bytes_;
  void* memory_;
};

class timed_runs {
 public:
  timed_runs(byte_range const& read, byte_range const& written) : source_(read), destination_(written) {}

  template <class Plan>
  requires requires(Plan const& whole) { whole.part(kMostBytes); }
  double seconds(Plan const& whole) const {
    auto const part = whole.part(kMostBytes);
    double const share = double(part.tasks()) / double(whole.tasks());
    return seconds_of([&] { run(part, source_.first, destination_.first); }) / share;
  }
  template <class Plan>
  requires std::same_as<Plan, cpu_limited> || std::same_as<Plan, cpu_swizzled>
  double seconds(Plan const& whole) const {
    return seconds_of([&] { run(whole, source_.first, destination_.first); });
  }

 private:
  side_memory source_, destination_;
};

}  // namespace

stopwatch make_stopwatch(byte_range const& read, byte_range const& written) {
  auto const runs = std::make_shared<timed_runs const>(read, written);
  return [runs](candidate const& each) {
    return std::visit(
        [&]<class Plan>(Plan const& plan) -> double {
          if constexpr (requires { runs->seconds(plan); })
            return runs->seconds(plan);
          else
            throw std::logic_error("a step that is timed alone is a plan of the CPU");
        },
        only_step(each).kernel);
  };
}

}  // namespace cornerturn::cpu
