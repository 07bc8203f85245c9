#include "engine/gpu/host_memory.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>
#include <vector>

#include "cuda/handles.hpp"
#include "engine/cpu/cpu.hpp"
#include "engine/gpu/gpu.hpp"
#include "plan/choose.hpp"
#include "plan/pieces.hpp"

namespace cornerturn::gpu {
namespace {

/// One that the host packs or unpacks, one on its way to the GPU, one on its way back.
constexpr std::int64_t kInFlight = 3;

std::int64_t free_memory() {
  std::size_t free, total;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return std::int64_t(free);
}

/// What moves one piece at a time.
class lane {
 public:
  lane(std::size_t packed_bytes, std::size_t moved_bytes)
      : up_(allocate_pinned(packed_bytes)),
        down_(allocate_pinned(moved_bytes)),
        from_(allocate_device(packed_bytes)),
        to_(allocate_device(moved_bytes)) {}
  lane(lane const&) = delete;
  ~lane() { cudaStreamSynchronize(stream_.get()); }  // or the buffers would go while a copy is on its way

  void start(piece const& each, candidate const& chosen, void const* source) {
    cpu::permute(each.pack, source, up_.get());
    auto* const stream = stream_.get();
    check(cudaMemcpyAsync(from_.get(), up_.get(), std::size_t(each.packed_bytes), cudaMemcpyHostToDevice, stream),
          "cudaMemcpyAsync to the device");
    run(chosen, from_.get(), to_.get(), stream);
    check(cudaMemcpyAsync(down_.get(), to_.get(), std::size_t(each.moved_bytes), cudaMemcpyDeviceToHost, stream),
          "cudaMemcpyAsync to the host");
  }

  void finish(piece const& each, void* destination) {
    check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
    cpu::permute(each.unpack, down_.get(), destination);
  }

 private:
  stream_handle stream_ = make_stream();
  pinned_memory up_, down_;
  device_memory from_, to_;
};

/// Pieces are all alike but for those at the ends of the modes that are cut.
class choices {
 public:
  candidate const& of(problem const& move) {
    auto found = std::ranges::find(known_, move, &std::pair<problem, candidate>::first);
    if (found == known_.end()) found = known_.insert(found, {move, candidates_of(move, {}).front()});
    return found->second;
  }

 private:
  std::vector<std::pair<problem, candidate>> known_;
};

}  // namespace

void permute_host_memory(problem const& canonical, void const* source, void* destination,
                         std::function<void(double)> const& progress, std::int64_t most_piece_bytes) {
  auto const room = room_for_piece(canonical, free_memory(), 2 * kInFlight);
  auto const pieces = pieces_of(canonical, std::min(most_piece_bytes, room));
  if (pieces.size() == 0) return;
  auto const largest = pieces[0];
  choices chosen;
  std::deque<lane> lanes;
  while (std::ssize(lanes) < std::min(kInFlight, pieces.size()))
    lanes.emplace_back(std::size_t(largest.packed_bytes), std::size_t(largest.moved_bytes));

  auto const in_flight = std::ssize(lanes);
  for (std::int64_t i = 0; i < pieces.size() + in_flight; ++i) {
    auto& each = lanes[std::size_t(i % in_flight)];
    if (i >= in_flight) {
      auto const done = i - in_flight;
      each.finish(pieces[done], destination);
      if (progress) progress(double(done + 1) / double(pieces.size()));
    }
    if (i < pieces.size()) {
      auto const next = pieces[i];
      each.start(next, chosen.of(next.move), source);
    }
  }
}

}  // namespace cornerturn::gpu
