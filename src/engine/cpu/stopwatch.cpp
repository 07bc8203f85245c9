#include "engine/cpu/stopwatch.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <variant>

#include "cornerturn/error.hpp"
#include "cpu/families.hpp"
#include "cpu/sizes.hpp"
#include "measure/clock.hpp"

namespace cornerturn::cpu {
namespace {

/// A larger problem is timed by tiles that have this many bytes and pages at most, or by boxes of this many bytes of the result.
constexpr std::int64_t kMostBytes = 16 << 20, kMostPages = 1 << 18;

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

/// A plan of the tiles that are timed, which are the first ones of `plan`.
cpu_plan part_of(cpu_plan plan) {
  auto const tile = plan.tile.bytes();
  auto const pages_of = [](std::int64_t runs, std::int64_t run) { return runs * (1 + run / kPage); };
  auto const read = plan.load.dense ? pages_of(1, tile) : plan.tile.batch * pages_of(plan.tile.rows, plan.tile.row_bytes());
  auto const written = plan.store.dense ? pages_of(1, tile) : pages_of(plan.tile.columns, plan.tile.rows * plan.store.row_step);
  auto most = std::max<std::int64_t>(1, std::min(kMostBytes / tile, kMostPages / (read + written)));
  for (auto k = int(plan.loops.size()); k-- > 0;) {
    auto& count = plan.loops[std::size_t(k)].count;
    auto const last_of = [&](tile_cut& cut, std::int64_t full) {
      if (cut.loop == k && most < count) cut.last = full;
    };
    last_of(plan.tile.cut_unit, plan.tile.unit), last_of(plan.tile.cut_batch, plan.tile.batch);
    last_of(plan.tile.cut_rows, plan.tile.rows), last_of(plan.tile.cut_columns, plan.tile.columns);
    count = std::min(count, most);
    most /= count;
  }
  plan.bytes = std::min(plan.bytes, plan.tiles() * tile);
  return plan;
}

/// A plan of the boxes that are timed, which are the first ones of `plan`.
cpu_convert part_of(cpu_convert plan) {
  auto const whole = plan.tasks(), box = std::max<std::int64_t>(1, plan.bytes / whole);
  auto most = std::max<std::int64_t>(1, kMostBytes / box);
  for (auto k = plan.loops.size(); k-- > 0;) {
    auto& loop = plan.loops[k];
    if (most < loop.count) loop.count = most, loop.smaller = 0;
    most = std::max<std::int64_t>(1, most / loop.count);
  }
  plan.bytes = std::min(plan.bytes, plan.tasks() * box);
  return plan;
}

std::int64_t tasks_of(cpu_plan const& plan) { return plan.tiles(); }
std::int64_t tasks_of(cpu_convert const& plan) { return plan.tasks(); }

class timed_runs {
 public:
  timed_runs(byte_range const& read, byte_range const& written) : source_(read), destination_(written) {}

  template <class Plan>
  requires requires(Plan const& whole) { part_of(whole); }
  double seconds(Plan const& whole) const {
    auto const part = part_of(whole);
    double const share = double(tasks_of(part)) / double(tasks_of(whole));
    return seconds_of([&] { run(part, source_.first, destination_.first); }) / share;
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
