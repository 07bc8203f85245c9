// Launches one warp with one access to shared memory at the addresses of bench/lane_patterns.hpp. bench/counters.py compares the
// counters of Nsight Compute with the modelled wavefronts. Prints one JSON object per launch: {"bytes": bytes per lane, "store": …,
// "offsets": byte offset of each lane, -1 for an inactive lane}.

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

#include "block/device.cuh"
#include "expect.hpp"
#include "lane_patterns.hpp"

namespace {

using namespace lane_patterns;

__constant__ int offsets_of_lanes[kWarp];

extern __shared__ uint4 memory[];

template <class Word, bool Store>
__global__ void touch(Word* out) {
  int const at = offsets_of_lanes[threadIdx.x];
  if (at < 0) return;
  cornerturn::device_block const block(reinterpret_cast<char*>(memory));
  Word* const word = block.shared<Word, 0>(at);
  if constexpr (Store)
    block.shared_store<1>(word, &out[threadIdx.x]);
  else
    block.shared_load<1>(word, &out[threadIdx.x]);
}

template <class Word, bool Store>
void launch(void* out, offsets const& lanes) {
  expect(cudaMemcpyToSymbol(offsets_of_lanes, lanes.data(), kWarp * sizeof(int)));
  touch<Word, Store><<<1, kWarp, kSharedBytes>>>(static_cast<Word*>(out));
  expect(cudaGetLastError());
  expect(cudaDeviceSynchronize());
  std::printf("{\"bytes\": %d, \"store\": %s, \"offsets\": [", int(sizeof(Word)), Store ? "true" : "false");
  for (int lane = 0; lane < kWarp; ++lane) std::printf("%s%d", lane ? ", " : "", lanes[lane]);
  std::printf("]}\n");
}

template <class Word, bool Store>
void launch_all(void* out) {
  for (int kind = 0; kind < kDrawn; ++kind) launch<Word, Store>(out, drawn(kind, sizeof(Word)));
  if (sizeof(Word) >= 8)  // shorter words are served to the whole warp at once
    for (auto const& lanes : ordered(sizeof(Word))) launch<Word, Store>(out, lanes);
}

template <class Word>
void launch_both(void* out) {
  launch_all<Word, false>(out);
  launch_all<Word, true>(out);
}

}  // namespace

int main() {
  void* out;
  expect(cudaMalloc(&out, kWarp * 16));
  expect(cudaMemset(out, 0, kWarp * 16));  // lanes that store to one place store the same
  launch_both<std::uint8_t>(out);
  launch_both<std::uint16_t>(out);
  launch_both<std::uint32_t>(out);
  launch_both<std::uint64_t>(out);
  launch_both<uint4>(out);
  expect(cudaFree(out));
}
