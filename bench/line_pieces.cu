// Times loads and stores of some of the four sectors of each 128-byte line, in 256 MiB, most of which are in DRAM, and in 16 MiB,
// which stay in the L2 cache and are accessed 16 times. Prints one JSON object per pattern:
//   {"store": …, "mask": bit i is set if sector i of each line is accessed, "bytes": of a lane, "lanes": of a sector,
//    "order": "lines" if a request has all sectors of its lines, else "sectors": one sector each of several lines,
//    "dram_us", "l2_us": medians of microseconds}
// With an argument each pattern runs once, in 256 MiB, for Nsight Compute to count its sectors.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "block/sizes.hpp"
#include "expect.hpp"
#include "touch.cuh"

namespace {

using cornerturn::kLineBytes, cornerturn::kSectorBytes;

constexpr int kThreads = 256, kRepeats = 15;
constexpr int kBlockStep = 37;  // from a block to the one that accesses its lines in the next round, on another SM
constexpr std::int64_t kLarge = 256 << 20, kSmall = 16 << 20;

struct sectors {
  int place[4];  // sectors of a line
  int rounds;
};

/// The groups of 256 lanes' accesses that a block makes; fewer if lanes have more sectors, so that all SMs have blocks.
__host__ __device__ constexpr int turns(int lanes) { return lanes > 2 ? lanes / 2 : 1; }

/// Accesses `Count` sectors of each line by `Lanes` lanes of `Bytes` bytes each.
template <bool Store, int Bytes, int Lanes, int Count, bool Lines>
__global__ void __launch_bounds__(kThreads) touch(std::uint64_t memory, sectors each, unsigned* end) {
  constexpr unsigned kTurns{turns(Lanes)};
  unsigned sum = 0;
  for (int round = 0; round < each.rounds; ++round) {
    unsigned const block = (blockIdx.x + unsigned(round * kBlockStep)) % gridDim.x;
#pragma unroll
    for (unsigned turn = 0; turn < kTurns; ++turn)
#pragma unroll
      for (unsigned i = 0; i < Count; ++i) {
        unsigned const group = block * kTurns + turn, unit = (Lines ? group * Count + i : group) * kThreads + threadIdx.x;
        unsigned const line = Lines ? unit / (Lanes * Count) : unit / Lanes, place = Lines ? unit / Lanes % Count : i;
        int const sector = place == 0 ? each.place[0] : place == 1 ? each.place[1] : place == 2 ? each.place[2] : each.place[3];
        auto const at = memory + std::uint64_t(line) * kLineBytes + unsigned(sector * kSectorBytes) + unit % Lanes * Bytes;
        if constexpr (Store)
          words<Bytes>::store(at, false);
        else
          sum ^= words<Bytes>::load(at, false);
      }
  }
  if (sum == 1) *end = sum;
}

struct pattern {
  bool store;
  int bytes, lanes, mask;
  bool lines;
  void (*kernel)(std::uint64_t, sectors, unsigned*);
};

void run(pattern const& each, char* memory, std::int64_t bytes, int rounds, unsigned* end) {
  sectors of{{}, rounds};
  int count = 0;
  for (int i = 0; i < 4; ++i)
    if (each.mask >> i & 1) of.place[count++] = i;
  auto const blocks = unsigned(bytes / kLineBytes * each.lanes / kThreads / turns(each.lanes));
  each.kernel<<<blocks, kThreads>>>(reinterpret_cast<std::uint64_t>(memory), of, end);
  expect(cudaGetLastError());
}

template <bool Store, int Bytes, int Lanes>
void add(std::vector<pattern>& all) {
  auto const add_both = [&](int mask, auto lines, auto sectors) {
    all.push_back({Store, Bytes, Lanes, mask, true, lines});
    if (sectors) all.push_back({Store, Bytes, Lanes, mask, false, sectors});
  };
  decltype(pattern::kernel) const none = nullptr;
  add_both(0b0001, touch<Store, Bytes, Lanes, 1, true>, none);
  add_both(0b0011, touch<Store, Bytes, Lanes, 2, true>, touch<Store, Bytes, Lanes, 2, false>);
  add_both(0b0110, touch<Store, Bytes, Lanes, 2, true>, none);
  add_both(0b0101, touch<Store, Bytes, Lanes, 2, true>, touch<Store, Bytes, Lanes, 2, false>);
  add_both(0b1001, touch<Store, Bytes, Lanes, 2, true>, none);
  add_both(0b0111, touch<Store, Bytes, Lanes, 3, true>, touch<Store, Bytes, Lanes, 3, false>);
  add_both(0b1111, touch<Store, Bytes, Lanes, 4, true>, touch<Store, Bytes, Lanes, 4, false>);
}

template <bool Store>
void add_widths(std::vector<pattern>& all) {
  add<Store, 4, 8>(all);   // whole sectors
  add<Store, 16, 2>(all);  // whole sectors, more of them in a request
  add<Store, 4, 1>(all);   // parts of sectors
}

}  // namespace

int main(int count, char**) {
  bool const once = count > 1;
  std::vector<pattern> all;
  add_widths<false>(all);
  add_widths<true>(all);
  char* memory;
  unsigned* end;
  expect(cudaMalloc(&memory, kLarge));
  expect(cudaMalloc(&end, sizeof(*end)));
  expect(cudaMemset(memory, 0, kLarge));
  if (once) {
    for (auto const& each : all) run(each, memory, kLarge, 1, end);
    expect(cudaDeviceSynchronize());
    return 0;
  }
  cudaEvent_t begin, stop;
  expect(cudaEventCreate(&begin));
  expect(cudaEventCreate(&stop));
  std::vector<std::vector<float>> times(2 * all.size());
  for (int repeat = 0; repeat <= kRepeats; ++repeat)
    for (std::size_t i = 0; i < times.size(); ++i) {
      bool const small = i >= all.size();
      auto const& each = all[i % all.size()];
      if (small) run(each, memory, kSmall, 1, end);
      expect(cudaEventRecord(begin));
      run(each, memory, small ? kSmall : kLarge, small ? int(kLarge / kSmall) : 1, end);
      expect(cudaEventRecord(stop));
      expect(cudaEventSynchronize(stop));
      float milliseconds;
      expect(cudaEventElapsedTime(&milliseconds, begin, stop));
      if (repeat > 0) times[i].push_back(milliseconds);
    }
  for (auto& each : times) std::nth_element(each.begin(), each.begin() + std::ptrdiff_t(each.size() / 2), each.end());
  auto const median = [&](std::size_t i) { return 1000 * double(times[i][times[i].size() / 2]); };
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const& each = all[i];
    std::printf(
        "{\"store\": %s, \"mask\": %d, \"bytes\": %d, \"lanes\": %d, \"order\": \"%s\", \"dram_us\": %.2f, \"l2_us\": %.2f}\n",
        each.store ? "true" : "false", each.mask, each.bytes, each.lanes, each.lines ? "lines" : "sectors", median(i),
        median(all.size() + i));
  }
}
