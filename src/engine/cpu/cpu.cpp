#include "engine/cpu/cpu.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "engine/cpu/threads.hpp"
#include "engine/cpu/tiles.hpp"

namespace cornerturn::cpu {
namespace {

constexpr std::size_t kLine = 64;
/// Results of more bytes are written past the caches, which they would not stay in.
constexpr std::int64_t kCached = 4 << 20;
/// Bytes that are worth a thread of their own.
constexpr std::int64_t kShare = 1 << 20;

/// Memory for images, kept by each thread for its next call.
class image_memory {
 public:
  std::byte* take(std::int64_t bytes) {
    if (bytes > bytes_) {
      memory_.reset(static_cast<std::byte*>(::operator new(std::size_t(bytes), std::align_val_t(kLine))));
      bytes_ = bytes;
    }
    return memory_.get();
  }

 private:
  struct release {
    void operator()(std::byte* memory) const { ::operator delete(memory, std::align_val_t(kLine)); }
  };
  std::unique_ptr<std::byte, release> memory_;
  std::int64_t bytes_ = 0;
};

std::byte* image(std::int64_t bytes) {
  thread_local image_memory memory;
  return memory.take(bytes);
}

struct given_up {};

}  // namespace

void run(cpu_plan const& plan, void const* source, void* destination, std::function<void(double)> const& progress) {
  std::atomic<std::int64_t> done = 0;
  std::atomic<bool> failed = false;
  std::function<void(std::int64_t)> const tell = [&](std::int64_t bytes) {
    done += bytes;
    progress(double(done) / double(plan.bytes));
  };
  std::function<void(std::int64_t)> const count = [&](std::int64_t bytes) {
    done += bytes;
    if (failed) throw given_up{};
  };
  auto const tiles = plan.tiles();
  auto const threads = std::clamp<std::int64_t>(std::min(plan.bytes / kShare, tiles), 1, thread_count());
  auto const share = [&](std::int64_t index) {
    return tile_share{.source = static_cast<std::byte const*>(source),
                      .destination = static_cast<std::byte*>(destination),
                      .first = tiles * index / threads,
                      .end = tiles * (index + 1) / threads,
                      .image = image(plan.image_bytes()),
                      .streams = plan.bytes > kCached,
                      .moved = !progress    ? nullptr
                               : index == 0 ? &tell
                                            : &count};
  };
  std::vector<std::jthread> others;
  for (std::int64_t i = 1; i < threads; ++i)
    others.emplace_back([&, i] {
      try {
        move_tiles(plan, share(i));
      } catch (given_up const&) {
      }
    });
  try {
    move_tiles(plan, share(0));
  } catch (...) {
    failed = true;
    throw;
  }
  others.clear();
  if (progress && threads > 1) progress(1);
}

void permute(problem const& canonical, void const* source, void* destination, std::function<void(double)> const& progress) {
  if (std::ranges::any_of(canonical.modes, [](mode const& m) { return m.extent == 0; })) return;
  run(plan_cpu(canonical), source, destination, progress);
}

}  // namespace cornerturn::cpu
