#include "cpu/run.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "cpu/boxes/boxes.hpp"
#include "cpu/convert/convert.hpp"
#include "cpu/parallel_for.hpp"
#include "cpu/swap/swap.hpp"
#include "cpu/threads.hpp"
#include "cpu/tiles/tiles.hpp"

namespace cornerturn::cpu {
namespace {

/// Memory for an image. Each thread keeps the memory of its last call for the next one. A progress function may call the library
/// while the outer call uses that memory; the inner call then allocates its own.
class image_memory {
 public:
  explicit image_memory(std::int64_t bytes) : spare_(spare()), memory_(std::exchange(spare_, {})) {
    auto const count = std::size_t(bytes) / sizeof(cache_line) + 1;
    if (count > memory_.count) memory_ = {std::make_unique_for_overwrite<cache_line[]>(count), count};
  }
  image_memory(image_memory const&) = delete;
  ~image_memory() {
    if (memory_.count > spare_.count) spare_ = std::move(memory_);
  }

  std::byte* first() const { return memory_.lines[0].bytes; }

 private:
  struct allocation {
    std::unique_ptr<cache_line[]> lines;
    std::size_t count = 0;
  };

  static allocation& spare() {
    static thread_local allocation kept;
    return kept;
  }

  allocation& spare_;  ///< the thread's memory, which takes a call to find
  allocation memory_;
};

using reporter = std::function<bool(std::int64_t)>;

/// Moves share `index` of `count` equal shares of the tiles.
void move_share(cpu_plan const& plan, void const* source, void* destination, std::int64_t index, std::int64_t count,
                reporter const* report) {
  auto const tiles = plan.tiles();
  auto const boundary = [&](std::int64_t share) { return share == 0 ? 0 : share == count ? tiles : tiles * share / count; };
  std::optional<image_memory> image;
  if (plan.needs_image()) image.emplace(plan.image_bytes());
  move_tiles(plan, {.source = static_cast<std::byte const*>(source),
                    .destination = static_cast<std::byte*>(destination),
                    .first = boundary(index),
                    .end = boundary(index + 1),
                    .image = image ? image->first() : nullptr,
                    .report = report});
}

/// The number of threads for a result of `bytes` bytes that can be divided into `parts` parts.
int threads_for(std::int64_t bytes, std::int64_t parts, thread_limits const& limits, worker_threads const* workers = nullptr) {
  auto const worth = std::min(bytes / limits.share, parts);
  if (worth <= 1) return 1;
  int const most = !workers           ? thread_count(limits.most)
                   : limits.most == 0 ? workers->count
                                      : std::min(workers->count, limits.most);
  return int(std::min<std::int64_t>(worth, most));
}

/// Calls body(0) to body(count - 1) on the caller's workers, or else on helpers.
void do_parts(worker_threads const* workers, int count, std::function<void(int)> const& body) {
  workers ? parallel_for(*workers, count, body) : parallel_for(count, body);
}

/// Moves `count` shares of a plan of `bytes` bytes. share(index, report) moves one share and calls `report` with the bytes moved
/// since the last call. If `report` returns false, another share has failed, and this share ends. The caller's thread calls
/// `progress`.
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

}  // namespace

int threads_for(cpu_plan const& plan) { return threads_for(plan.bytes, plan.tiles(), plan.limits.threads); }

int threads_worth(std::int64_t bytes, thread_limits const& limits) { return threads_for(bytes, bytes, limits); }

void run_alone(cpu_plan const& plan, void const* source, void* destination) {
  move_share(plan, source, destination, 0, 1, nullptr);
}

void run(cpu_plan const& plan, void const* source, void* destination, run_context const& context) {
  bool const is_small = plan.bytes / plan.limits.threads.share <= 1;  // then tiles need not be counted
  int const threads = is_small ? 1 : threads_for(plan.bytes, plan.tiles(), plan.limits.threads, context.workers);
  if (threads == 1 && !context.progress) return run_alone(plan, source, destination);
  do_shares(context, threads, plan.bytes,
            [&](int index, reporter const& report) { move_share(plan, source, destination, index, threads, &report); });
}

void run(cpu_convert const& plan, void const* source, void* destination, run_context const& context) {
  auto const tasks = plan.tasks();
  int const threads = threads_for(plan.bytes, tasks, plan.limits.threads, context.workers);
  do_shares(context, threads, plan.bytes, [&](int index, reporter const& report) {
    image_memory const memory(convert_memory(plan));
    convert_boxes(plan, {.source = static_cast<std::byte const*>(source),
                         .destination = static_cast<std::byte*>(destination),
                         .first = tasks * index / threads,
                         .end = tasks * (index + 1) / threads,
                         .memory = memory.first(),
                         .report = report});
  });
}

void run(cpu_swap const& plan, void const*, void* destination, run_context const& context) {
  auto const tasks = plan.tasks();
  int const threads = threads_for(plan.bytes, tasks, plan.threads, context.workers);
  do_parts(context.workers, threads, [&](int index) {
    swap_tiles(plan, static_cast<std::byte*>(destination), tasks * index / threads, tasks * (index + 1) / threads);
  });
}

int threads_for(cpu_panels const& plan, worker_threads const* workers) {
  return threads_for(plan.bytes(), plan.tasks(), plan.copy.limits.threads, workers);
}

int threads_for(cpu_boxes const& plan, worker_threads const* workers) {
  return threads_for(plan.bytes(), plan.tasks(), plan.threads, workers);
}

namespace {

/// The threads of a step, at most the number that has memory: `set_num_threads` or a new affinity may have raised the limit since
/// the memory was allocated.
template <class Plan>
int threads_with_memory(Plan const& plan, run_context const& context) {
  return std::min(cpu::threads_for(plan, context.workers), context.memory->threads());
}

}  // namespace

void run(cpu_panels const& plan, void const*, void* destination, run_context const& context) {
  panel_run state(plan, *context.memory);
  do_parts(context.workers, threads_with_memory(plan, context),
           [&](int thread) { move_panels(state, *context.memory, thread, static_cast<std::byte*>(destination)); });
}

void run(cpu_boxes const& plan, void const*, void* destination, run_context const& context) {
  auto const tasks = plan.tasks();
  int const threads = threads_with_memory(plan, context);
  do_parts(context.workers, threads, [&](int index) {
    move_boxes(plan, static_cast<std::byte*>(destination), tasks * index / threads, tasks * (index + 1) / threads,
               context.memory->panel(index));
  });
}

}  // namespace cornerturn::cpu
