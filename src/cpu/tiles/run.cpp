#include <optional>

#include "cpu/image_memory.hpp"
#include "cpu/run.hpp"
#include "cpu/tiles/tiles.hpp"

namespace cornerturn::cpu {
namespace {

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

}  // namespace

int threads_for(cpu_plan const& plan) { return threads_for(plan.bytes, plan.tiles(), plan.limits.threads); }

void run_alone(cpu_plan const& plan, void const* source, void* destination) {
  move_share(plan, source, destination, 0, 1, nullptr);
}

void run(cpu_plan const& plan, void const* source, void* destination, run_context const& context) {
  auto const share = plan.limits.threads.share;
  bool const is_small = plan.bytes - share < share;  // then tiles need not be counted
  int const threads = is_small ? 1 : threads_for(plan.bytes, plan.tiles(), plan.limits.threads, context.workers);
  if (threads == 1 && !context.progress) return run_alone(plan, source, destination);
  do_shares(context, threads, plan.bytes,
            [&](int index, reporter const& report) { move_share(plan, source, destination, index, threads, &report); });
}

}  // namespace cornerturn::cpu
