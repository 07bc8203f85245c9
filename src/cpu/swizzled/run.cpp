#include <algorithm>
#include <cstdint>

#include "cpu/image_memory.hpp"
#include "cpu/shared_tiles.hpp"
#include "cpu/stream_row.hpp"
#include "cpu/swizzled/plan.hpp"
#include "cpu/swizzled/units.hpp"
#include "cpu/tiles/tiles.hpp"

namespace cornerturn::cpu {
namespace {

struct places {
  std::byte const* source;
  std::byte* destination;
};

/// A chunk: where it begins in both arrays, and its kind.
struct chunk {
  places at;
  cpu_swizzled::chunk_kind const* kind;
};

chunk chunk_of(cpu_swizzled const& plan, places at, std::int64_t number) {
  std::array<std::int64_t, limited_problem::kMostLimits> counts{}, firsts{};
  for (auto loop = plan.loops.rbegin(); loop != plan.loops.rend(); number /= loop++->count) {
    auto const index = number % loop->count;
    at.source += index * loop->source;
    at.destination += index * loop->destination;
    for (std::size_t axis = 0; axis < firsts.size(); ++axis) firsts[axis] += index * loop->steps[axis];
  }
  for (std::size_t axis = 0; axis < plan.limits.size(); ++axis) counts[axis] = plan.limits[axis].count_from(firsts[axis]);
  return {at, &*std::ranges::find(plan.kinds, counts, &cpu_swizzled::chunk_kind::counts)};
}

/// A thread's memory of a chunk's size, whose pads are those of the last chunk.
class plain_chunk {
 public:
  explicit plain_chunk(cpu_swizzled const& plan) : plan_(plan), plain_(plan.chunk_bytes), image_(plan.image_bytes()) {}

  void move(chunk const& each) {
    auto const& boxes = each.kind->boxes;
    auto* const plain = plain_.first();
    if (plan_.of_source) {
      if (boxes.copied.empty()) return;
      copy_swizzled(each.at.source, plain, plan_.chunk_bytes, plan_.swizzle, false);
      return move_boxes(boxes.copied, plain, each.at.destination);
    }
    move_boxes(boxes.copied, each.at.source, plain);
    if (padded_ != each.kind) move_boxes(boxes.padded, boxes.pad.data(), plain);
    padded_ = each.kind;
    bool const has_units = reinterpret_cast<std::uintptr_t>(each.at.destination) % kLargestElement == 0;
    copy_swizzled(plain, each.at.destination, plan_.chunk_bytes, plan_.swizzle, plan_.streams && has_units);
  }

 private:
  void move_boxes(std::vector<cpu_plan> const& boxes, std::byte const* source, std::byte* destination) {
    for (auto const& each : boxes)
      move_tiles(each, {.source = source, .destination = destination, .first = 0, .end = each.tasks(), .image = image_.first()});
  }

  cpu_swizzled const& plan_;
  image_memory plain_, image_;
  cpu_swizzled::chunk_kind const* padded_ = nullptr;
};

}  // namespace

void run(cpu_swizzled const& plan, void const* source, void* destination, run_context const& context) {
  places const all{static_cast<std::byte const*>(source), static_cast<std::byte*>(destination)};
  auto const chunks = plan.chunks(), bytes = plan.bytes();
  int const threads = threads_for(bytes, chunks, plan.kinds.front().boxes.threads(), context.workers);
  shared_tiles shared(chunks, bytes, threads);
  do_shares(context, threads, bytes, [&](int index, reporter const& report) {
    plain_chunk plain(plan);
    shared.move_as(index, report, [&](std::int64_t first, std::int64_t end, reporter const& tell) {
      for (auto number = first; number < end; ++number) {
        plain.move(chunk_of(plan, all, number));
        if (!tell(plan.chunk_bytes)) return;
      }
    });
    end_streams();
  });
}

}  // namespace cornerturn::cpu
