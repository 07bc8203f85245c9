#include "cpu/run.hpp"
#include "cpu/image_memory.hpp"
#include "cpu/tiles/tiles.hpp"

namespace cornerturn::cpu {
namespace {

/// A plan that several threads run.
struct shared_plan {
  cpu_plan const& plan;
  std::byte const* source;
  std::byte* destination;

  /// Moves the tiles from `first` to `end` - 1 with an image that the thread has.
  void move(std::int64_t first, std::int64_t end, std::byte* image, shared_tiles::extension const* extend = nullptr,
            reporter const* report = nullptr) const {
    move_tiles(plan, {.source = source,
                      .destination = destination,
                      .first = first,
                      .end = end,
                      .image = image,
                      .report = report,
                      .extend = extend});
  }
};

/// Calls move(image) with memory for the image of a plan's tiles, or null if they have none.
template <class Move>
void with_image(cpu_plan const& plan, Move const& move) {
  if (!plan.needs_image()) return move(nullptr);
  image_memory const image(plan.image_bytes());
  move(image.first());
}

}  // namespace

int threads_for(cpu_plan const& plan) { return threads_for(plan.bytes, plan.tasks(), plan.limits.threads); }

void run_alone(cpu_plan const& plan, void const* source, void* destination) {
  shared_plan const whole{plan, static_cast<std::byte const*>(source), static_cast<std::byte*>(destination)};
  with_image(plan, [&](std::byte* image) { whole.move(0, plan.tasks(), image); });
}

void run(cpu_plan const& plan, void const* source, void* destination, run_context const& context) {
  auto const share = plan.limits.threads.share;
  bool const is_small = plan.bytes - share < share;  // then tiles need not be counted
  int const threads = is_small ? 1 : threads_for(plan.bytes, plan.tasks(), plan.limits.threads, context.workers);
  if (threads == 1 && !context.progress) return run_alone(plan, source, destination);
  shared_plan const shared{plan, static_cast<std::byte const*>(source), static_cast<std::byte*>(destination)};
  shared_tiles tiles(plan.tasks(), plan.bytes, threads);
  do_shares(context, threads, plan.bytes, [&](int index, reporter const& report) {
    with_image(plan, [&](std::byte* image) {
      tiles.move_rows_as(index, report, [&](std::int64_t first, std::int64_t end, auto const& extend, reporter const& tell) {
        shared.move(first, end, image, &extend, &tell);
      });
    });
  });
}

}  // namespace cornerturn::cpu
