#include "engine/gpu/host_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/log_plan.hpp"
#include "cpu/machine.hpp"
#include "cuda/handles.hpp"
#include "engine/gpu/devices.hpp"
#include "engine/gpu/gpu.hpp"
#include "plan/pipeline.hpp"
#include "plan/staged.hpp"
#include "problem/describe.hpp"

namespace cornerturn::gpu {
namespace {

/// Pieces at once: the host packs or unpacks one, a second is on its way to the GPU, and a third is on its way back.
constexpr std::int64_t kInFlight = 3;

/// Holds the plan of one piece, its buffers, and the stream on which the piece goes to the GPU and back.
struct lane {
  explicit lane(piece const& largest)
      : staging(allocate_pinned(std::size_t(staged_bytes(largest)))),
        workspace(allocate_device(std::size_t(staged_bytes(largest)))) {}
  ~lane() { cudaStreamSynchronize(stream.get()); }  // because the buffers must outlive the copies

  stream_handle stream = make_stream();
  pinned_memory staging;
  device_memory workspace;
  candidate plan;
};

}  // namespace

void permute_host_memory(problem const& canonical, void const* source, void* destination,
                         std::function<void(double)> const& progress, std::int64_t most_piece_bytes, int threads) {
  std::size_t free, total;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  auto const room = room_for_piece(canonical, std::int64_t(free), 2 * kInFlight);
  auto const pieces = pieces_of(canonical, std::min(most_piece_bytes, room));

  staged_planner planner(model_of(current_device()), cpu::usual_tile_hint(threads));
  auto const memory_of = [&](lane const& via) -> plan_memory {
    return {.source = source, .destination = destination, .workspace = via.workspace.get(), .staging = via.staging.get()};
  };
  auto const pack = [&](piece const& each, lane& via) {
    via.plan = planner.plan(each);
    if (each.index == 0) log_plan([&] { return fmt::format("{} in pieces: {}", describe(canonical), describe(via.plan)); });
    run(pack_steps(via.plan), memory_of(via), via.stream.get());
  };
  auto const move = [&](piece const&, lane& via) { run(move_steps(via.plan), memory_of(via), via.stream.get()); };
  auto const unpack = [&](piece const& each, lane& via) {
    run(unpack_steps(via.plan), memory_of(via), via.stream.get());
    if (progress) progress(double(each.index + 1) / double(pieces.size()));
  };
  run_pipeline<lane>(pieces, kInFlight, pack, move, unpack);
}

}  // namespace cornerturn::gpu
