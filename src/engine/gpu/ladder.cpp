#include "engine/gpu/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/refuse.hpp"
#include "cuda/bandwidth.hpp"
#include "cuda/handles.hpp"
#include "engine/gpu/geam.hpp"
#include "engine/gpu/gpu.hpp"
#include "engine/gpu/pattern.hpp"
#include "launch/tensor_map.hpp"
#include "measure/ladder_rows.hpp"
#include "measure/timer.hpp"

namespace cornerturn::gpu {
namespace {

constexpr int kPoison = 0x5A;

/// The two buffers of a run. Every row moves data from one to the other.
struct buffers {
  buffers(ladder_options const& options, int element_size)
      : rows(options.rows), cols(options.cols), element_size(element_size), bytes(std::size_t(rows * cols * element_size)) {
    std::size_t free, total;
    check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    if (bytes > free / 2)
      refuse("rows x cols", fmt::format("{} x {} of {} bytes", rows, cols, element_size),
             fmt::format("at most {} bytes twice, the GPU's free memory", free / 2));
    source = allocate_device(bytes);
    destination = allocate_device(bytes);
    fill_pattern(source.get(), rows * cols, element_size, nullptr);
    check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");  // the rows run on streams that do not wait for this one
  }

  std::int64_t rows, cols;
  int element_size;
  std::size_t bytes;
  device_memory source, destination;
};

/// Copies the whole buffer with cudaMemcpy. During graph capture the copy is cut into pieces: memcpy nodes of 512 MiB, and nodes
/// whose size is not a multiple of 16 bytes, reach two thirds of the speed of the same call on a stream (H200, driver 580).
void copy_buffer(buffers const& memory, cudaStream_t stream) {
  constexpr std::size_t kPiece = std::size_t(256) << 20, kWhole = 4096;
  cudaStreamCaptureStatus capturing;
  check(cudaStreamIsCapturing(stream, &capturing), "cudaStreamIsCapturing");
  auto* const to = static_cast<char*>(memory.destination.get());
  auto const* const from = static_cast<char const*>(memory.source.get());
  for (std::size_t at = 0; at < memory.bytes;) {
    auto piece = memory.bytes - at;
    if (capturing == cudaStreamCaptureStatusActive) piece = std::min(kPiece, piece < kWhole ? piece : piece / kWhole * kWhole);
    check(cudaMemcpyAsync(to + at, from + at, piece, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
    at += piece;
  }
}

/// Runs a row once over a poisoned destination and counts the wrong elements.
std::int64_t verify(buffers const& memory, enqueue const& row, bool transposed) {
  auto const stream = make_stream();
  check(cudaMemsetAsync(memory.destination.get(), kPoison, memory.bytes, stream.get()), "cudaMemsetAsync");
  row(stream.get());
  return count_wrong(memory.destination.get(), memory.rows, memory.cols, memory.element_size, transposed, stream.get());
}

/// Marks the fastest row of each rung.
void mark_best(ladder_run& run) {
  for (auto& row : run.rungs)
    row.best = row.ratio > 0 && row.threads > 0 && std::ranges::none_of(run.rungs, [&](auto const& other) {
                 return other.name == row.name && other.ratio > row.ratio;
               });
}

}  // namespace

ladder_run run_ladder(ladder_options const& options, std::vector<rung> const& rungs, tile_choice const& tiles,
                      std::function<void(std::string_view)> const& progress) {
  auto const tell = [&](std::string const& what) {
    if (progress) progress(what);
  };
  int device;
  cudaDeviceProp properties;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  ladder_run run{.device = properties.name,
                 .rows = options.rows,
                 .cols = options.cols,
                 .type = options.type,
                 .timing = {},
                 .peak_gbs = theoretical_bandwidth_gbs(device),
                 .rungs = {}};

  int const element_size = type_size(options.type);
  buffers const memory(options, element_size);
  void const* const source = memory.source.get();
  void* const destination = memory.destination.get();

  std::vector<enqueue> enqueues;  // one per verified row
  auto const add = [&](ladder_row const& row, enqueue const& launch, bool transposed) {
    tell(fmt::format("verifying {}", row.name));
    if (add_row(run, row, verify(memory, launch, transposed))) enqueues.push_back(launch);
  };

  add(
      {.name = "memcpy"}, [&](cudaStream_t stream) { copy_buffer(memory, stream); }, false);
  geam const peer(options.type, options.rows, options.cols);
  if (peer.why_not().empty())
    add(
        {.name = "cublas-geam"}, [&](cudaStream_t stream) { peer.run(source, destination, stream); }, true);
  else
    run.rungs.push_back({.name = "cublas-geam", .reason = peer.why_not()});

  auto const no_tma = why_no_tma();
  for (auto const id : rungs)
    for (auto& [row, chosen] :
         entries_of(id, options.rows, options.cols, element_size, alignment_of(source, destination), tiles)) {
      if (chosen && info_of(id).uses_tma() && !no_tma.empty()) row.reason = no_tma, chosen.reset();
      if (chosen)
        add(
            row, [plan = *chosen, source, destination](cudaStream_t stream) { gpu::run(plan, source, destination, stream); },
            !info_of(id).is_copy);
      else
        run.rungs.push_back(row);
    }

  auto const timed = time_interleaved(enqueues, options.repeats,
                                      [&](int round) { tell(fmt::format("round {} of {}", round, options.repeats)); });
  run.timing = timed.method;
  set_times(run, timed.ms, std::int64_t(memory.bytes));
  for (auto& row : run.rungs) row.peak = row.gbs / run.peak_gbs;
  if (!tiles.best_alone()) mark_best(run);
  return run;
}

}  // namespace cornerturn::gpu
