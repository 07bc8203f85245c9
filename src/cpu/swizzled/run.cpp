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

/// Where chunk `number` begins in both arrays.
places chunk_of(cpu_swizzled const& plan, places at, std::int64_t number) {
  for (auto loop = plan.loops.rbegin(); loop != plan.loops.rend(); number /= loop++->count) {
    at.source += number % loop->count * loop->source;
    at.destination += number % loop->count * loop->destination;
  }
  return at;
}

void move_chunk(cpu_swizzled const& plan, places const& at, std::byte* plain, std::byte* image) {
  auto const move = [&](std::byte const* source, std::byte* destination) {
    move_tiles(plan.chunk, {.source = source, .destination = destination, .first = 0, .end = plan.chunk.tasks(), .image = image});
  };
  if (plan.of_source) {
    copy_swizzled(at.source, plain, plan.chunk.bytes, plan.swizzle, false);
    move(plain, at.destination);
  } else {
    move(at.source, plain);
    bool const has_units = reinterpret_cast<std::uintptr_t>(at.destination) % kLargestElement == 0;
    copy_swizzled(plain, at.destination, plan.chunk.bytes, plan.swizzle, plan.streams && has_units);
  }
}

}  // namespace

void run(cpu_swizzled const& plan, void const* source, void* destination, run_context const& context) {
  places const all{static_cast<std::byte const*>(source), static_cast<std::byte*>(destination)};
  auto const chunks = plan.chunks(), bytes = plan.bytes();
  int const threads = threads_for(bytes, chunks, plan.chunk.limits.threads, context.workers);
  shared_tiles shared(chunks, bytes, threads);
  do_shares(context, threads, bytes, [&](int index, reporter const& report) {
    image_memory const plain(plan.chunk.bytes), image(plan.chunk.needs_image() ? plan.chunk.image_bytes() : 0);
    shared.move_as(index, report, [&](std::int64_t first, std::int64_t end, reporter const& tell) {
      for (auto chunk = first; chunk < end; ++chunk) {
        move_chunk(plan, chunk_of(plan, all, chunk), plain.first(), image.first());
        if (!tell(plan.chunk.bytes)) return;
      }
    });
    end_streams();
  });
}

}  // namespace cornerturn::cpu
