#include <algorithm>

#include "cpu/image_memory.hpp"
#include "cpu/limited/plan.hpp"
#include "cpu/shared_tiles.hpp"
#include "cpu/tiles/tiles.hpp"

namespace cornerturn::cpu {
namespace {

/// The pieces of all boxes, numbered box after box.
struct boxed_pieces {
  cpu_limited const& plan;
  std::byte const* source;
  std::byte* destination;

  /// Moves the pieces from `first` to `end` - 1.
  void move(std::int64_t first, std::int64_t end, std::byte* image, reporter const* report) const {
    auto const move_in = [&](std::vector<cpu_plan> const& boxes, std::byte const* from) {
      for (auto const& each : boxes) {
        auto const pieces = cpu_limited::pieces_of(each), tiles = each.tasks();
        if (first < pieces && end > 0)
          move_tiles(each, {.source = from,
                            .destination = destination,
                            .first = tiles * std::max<std::int64_t>(first, 0) / pieces,
                            .end = tiles * std::min(end, pieces) / pieces,
                            .image = image,
                            .report = report});
        first -= pieces, end -= pieces;
      }
    };
    move_in(plan.copied, source);
    move_in(plan.padded, plan.pad.data());
  }
};

}  // namespace

void run(cpu_limited const& plan, void const* source, void* destination, run_context const& context) {
  boxed_pieces const all{plan, static_cast<std::byte const*>(source), static_cast<std::byte*>(destination)};
  auto const pieces = plan.pieces(), bytes = plan.bytes(), image_bytes = plan.image_bytes();
  int const threads = threads_for(bytes, pieces, plan.threads(), context.workers);
  shared_tiles tiles(pieces, bytes, threads);
  do_shares(context, threads, bytes, [&](int index, reporter const& report) {
    image_memory const image(image_bytes);
    tiles.move_as(index, report,
                  [&](std::int64_t from, std::int64_t end, reporter const& tell) { all.move(from, end, image.first(), &tell); });
  });
}

}  // namespace cornerturn::cpu
