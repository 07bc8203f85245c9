#include "engine/gpu/host_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "cuda/handles.hpp"
#include "engine/cpu/cpu.hpp"
#include "engine/gpu/devices.hpp"
#include "engine/gpu/gpu.hpp"
#include "plan/choose.hpp"
#include "plan/pieces.hpp"
#include "plan/pipeline.hpp"

namespace cornerturn::gpu {
namespace {

/// The host packs or unpacks one piece while another is on its way to the GPU and a third on its way back.
constexpr std::int64_t kInFlight = 3;

/// Holds the buffers of one piece and the stream on which the piece goes to the GPU and back.
struct lane {
  explicit lane(piece const& largest)
      : up(allocate_pinned(std::size_t(largest.packed_bytes))),
        down(allocate_pinned(std::size_t(largest.moved_bytes))),
        from(allocate_device(std::size_t(largest.packed_bytes))),
        to(allocate_device(std::size_t(largest.moved_bytes))) {}
  ~lane() { cudaStreamSynchronize(stream.get()); }  // because the buffers must outlive the copies

  stream_handle stream = make_stream();
  pinned_memory up, down;
  device_memory from, to;
};

}  // namespace

void permute_host_memory(problem const& canonical, void const* source, void* destination,
                         std::function<void(double)> const& progress, std::int64_t most_piece_bytes) {
  std::size_t free, total;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  auto const room = room_for_piece(canonical, std::int64_t(free), 2 * kInFlight);
  auto const pieces = pieces_of(canonical, std::min(most_piece_bytes, room));

  auto const& gpu = model_of(current_device());
  // Pieces are all alike except those at the ends of the modes that are cut.
  std::vector<std::pair<problem, candidate>> known;
  auto const chosen = [&](problem const& move) -> candidate const& {
    auto found = std::ranges::find(known, move, &std::pair<problem, candidate>::first);
    if (found == known.end()) found = known.insert(found, {move, candidates_of(move, {}, gpu).front()});
    return found->second;
  };

  auto const pack = [&](piece const& each, lane& via) { cpu::permute(each.pack, source, via.up.get()); };
  auto const move = [&](piece const& each, lane& via) {
    auto const& kernel = chosen(each.move);
    auto* const stream = via.stream.get();
    check(cudaMemcpyAsync(via.from.get(), via.up.get(), std::size_t(each.packed_bytes), cudaMemcpyHostToDevice, stream),
          "cudaMemcpyAsync to the device");
    run(kernel, via.from.get(), via.to.get(), stream);
    check(cudaMemcpyAsync(via.down.get(), via.to.get(), std::size_t(each.moved_bytes), cudaMemcpyDeviceToHost, stream),
          "cudaMemcpyAsync to the host");
  };
  auto const unpack = [&](piece const& each, lane& via) {
    check(cudaStreamSynchronize(via.stream.get()), "cudaStreamSynchronize");
    cpu::permute(each.unpack, via.down.get(), destination);
    if (progress) progress(double(each.index + 1) / double(pieces.size()));
  };
  run_pipeline<lane>(pieces, kInFlight, pack, move, unpack);
}

}  // namespace cornerturn::gpu
