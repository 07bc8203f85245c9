// Times the ways to load rows into shared memory: copies of 1 GiB in tiles of 16 KiB, with a gap after each row in shared memory.
// Prints one JSON object per line: {"way", "row", "gap", "off": bytes, "ratio": speed as a ratio to cudaMemcpy}. `off` is the offset
// of the source. If `gap` or `off` is not a multiple of 32, the halves of a sector go to different sectors of shared memory. With
// an argument each way runs once, for Nsight Compute to count its sectors.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "block/device.cuh"
#include "block/sizes.hpp"
#include "expect.hpp"

namespace {

using cornerturn::kUnitBytes, cornerturn::kSectorBytes;

constexpr int kThreads = 256, kTile = 16 << 10, kTurns = kTile / kUnitBytes / kThreads, kRounds = 15;

enum class way { load, past_l1, through_l1, row };

struct trial {
  way how;
  int row, gap, off;
  int shared_bytes() const { return kTile + kTile / row * gap + kSectorBytes; }
};

template <way How>
__global__ void __launch_bounds__(kThreads, 8) copy(char const* from, char* to, trial each) {
  extern __shared__ __align__(1024) char memory[];
  cornerturn::device_block block(memory);
  from += blockIdx.x * std::int64_t(kTile) + each.off;
  to += blockIdx.x * std::int64_t(kTile);
  char* const tile = memory + kSectorBytes;
  auto const place = [&](int at) { return tile + at + at / each.row * each.gap; };
  if constexpr (How == way::row) {
    auto& arrived = *block.shared<cornerturn::device_block::mbarrier, 1>();
    if (block.thread() == 0) {
      block.mbarrier_init(arrived);
      block.fence_barrier_init();
    }
    block.sync();
    for (int at = block.thread() * each.row; at < kTile; at += kThreads * each.row)
      block.bulk_copy(from + at, place(at), each.row, arrived);
    block.sync();
    if (block.thread() == 0) block.mbarrier_arrive(arrived);
    block.mbarrier_wait(arrived, 0);
  } else {
    alignas(kUnitBytes) char held[kTurns][kUnitBytes];
#pragma unroll
    for (int i = 0; i < kTurns; ++i) {
      int const at = (i * kThreads + block.thread()) * kUnitBytes;
      if constexpr (How == way::load)
        block.global_load<kUnitBytes>(from + at, held[i], true);
      else
        block.cp_async<How == way::through_l1>(from + at, place(at));
    }
    if constexpr (How == way::load) {
#pragma unroll
      for (int i = 0; i < kTurns; ++i) block.shared_store<kUnitBytes>(place((i * kThreads + block.thread()) * kUnitBytes), held[i]);
    }
    block.cp_async_wait_all();
    block.sync();
  }
#pragma unroll
  for (int i = 0; i < kTurns; ++i) {
    int const at = ((i + 1) % kTurns * kThreads + block.thread()) * kUnitBytes;
    alignas(kUnitBytes) char unit[kUnitBytes];
    block.shared_load<kUnitBytes>(place(at), unit);
    block.global_store<kUnitBytes>(to + at, unit, true);
  }
}

constexpr struct {
  char const* name;
  void (*copy)(char const*, char*, trial);
} kWays[] = {{"load and store", &copy<way::load>},
             {"cp.async.cg", &copy<way::past_l1>},
             {"cp.async.ca", &copy<way::through_l1>},
             {"cp.async.bulk", &copy<way::row>}};

void run(trial const& each, char const* from, char* to, std::size_t bytes) {
  kWays[int(each.how)].copy<<<unsigned(bytes / kTile), kThreads, each.shared_bytes()>>>(from, to, each);
  expect(cudaGetLastError());
}

/// True if a way copies two tiles of a pattern correctly.
bool copies(trial const& each, char* from, char* to) {
  std::vector<char> pattern(3 * kTile), found(2 * kTile);
  for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i] = char(i * 7 + i / 251);
  expect(cudaMemcpy(from, pattern.data(), pattern.size(), cudaMemcpyDefault));
  run(each, from, to, found.size());
  expect(cudaMemcpy(found.data(), to, found.size(), cudaMemcpyDefault));
  return std::equal(found.begin(), found.end(), pattern.begin() + each.off);
}

}  // namespace

int main(int count, char**) {
  bool const once = count > 1;
  std::size_t const bytes = once ? 256 << 20 : 1 << 30;
  char *from, *to;
  expect(cudaMalloc(&from, bytes + kTile));
  expect(cudaMalloc(&to, bytes));
  expect(cudaMemset(from, 1, bytes + kTile));
  std::vector<trial> trials;
  for (way const how : {way::load, way::past_l1, way::through_l1, way::row})
    for (int const row : {128, 256, 512, 4096})
      for (auto const& [gap, off] : {std::pair(32, 0), std::pair(16, 0), std::pair(32, 16)})
        trials.push_back({how, row, gap, off});
  for (trial const& each : trials)
    if (!once && !copies(each, from, to)) {
      std::fprintf(stderr, "fetches: %s of rows of %d bytes is wrong\n", kWays[int(each.how)].name, each.row);
      return 1;
    }
  cudaEvent_t begin, end;
  expect(cudaEventCreate(&begin));
  expect(cudaEventCreate(&end));
  std::vector<std::vector<float>> times(trials.size() + 1);
  for (int round = 0; round <= (once ? 0 : kRounds); ++round)
    for (std::size_t i = 0; i < times.size(); ++i) {
      expect(cudaEventRecord(begin));
      if (i < trials.size())
        run(trials[i], from, to, bytes);
      else
        expect(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault));
      expect(cudaEventRecord(end));
      expect(cudaEventSynchronize(end));
      float milliseconds;
      expect(cudaEventElapsedTime(&milliseconds, begin, end));
      if (round > 0 || once) times[i].push_back(milliseconds);
    }
  for (auto& each : times) std::nth_element(each.begin(), each.begin() + std::ptrdiff_t(each.size() / 2), each.end());
  auto const median = [](std::vector<float> const& each) { return each[each.size() / 2]; };
  for (std::size_t i = 0; i < trials.size(); ++i) {
    auto const& [how, row, gap, off] = trials[i];
    std::printf("{\"way\": \"%s\", \"row\": %d, \"gap\": %d, \"off\": %d, \"ratio\": %.3f}\n", kWays[int(how)].name, row, gap,
                off, double(median(times.back()) / median(times[i])));
  }
}
