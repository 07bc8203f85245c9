// One warp, one access of shared memory for each launch, at addresses drawn by chance: what Nsight Compute counts of these tells
// whether wavefronts are counted right (bench/counters.py). Prints the addresses, a JSON object a launch:
// {"bytes": of an access, "store": …, "offsets": bytes of each lane, -1 where it is off}.

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "block/device.cuh"

namespace {

constexpr int kWarp = 32, kSharedBytes = 32 << 10, kLaunchesOfAKind = 24;

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

void expect(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "bank_patterns: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

std::mt19937 chance(1);
int below(int limit) { return int(chance() % unsigned(limit)); }

/// Bytes of each lane: by turns strided, strided with lanes that are off, drawn from few words, and from all of the memory.
std::vector<int> pattern(int kind, int bytes) {
  int const words = kSharedBytes / bytes, stride = 1 + below(64), few = 2 + below(64), start = below(64);
  std::vector<int> offsets;
  for (int lane = 0; lane < kWarp; ++lane) {
    int const word = kind % 4 < 2 ? (start + lane * stride) % words : kind % 4 == 2 ? start + below(few) : below(words);
    bool const off = kind % 4 == 1 ? below(2) == 0 : kind % 8 == 7 && below(4) == 0;
    offsets.push_back(off ? -1 : word * bytes);
  }
  return offsets;
}

template <class Word, bool Store>
void launch_all(void* out) {
  for (int kind = 0; kind < kLaunchesOfAKind; ++kind) {
    auto const offsets = pattern(kind, sizeof(Word));
    expect(cudaMemcpyToSymbol(offsets_of_lanes, offsets.data(), kWarp * sizeof(int)));
    touch<Word, Store><<<1, kWarp, kSharedBytes>>>(static_cast<Word*>(out));
    expect(cudaGetLastError());
    expect(cudaDeviceSynchronize());
    std::printf("{\"bytes\": %d, \"store\": %s, \"offsets\": [", int(sizeof(Word)), Store ? "true" : "false");
    for (int lane = 0; lane < kWarp; ++lane) std::printf("%s%d", lane ? ", " : "", offsets[lane]);
    std::printf("]}\n");
  }
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
  launch_both<std::uint8_t>(out);
  launch_both<std::uint16_t>(out);
  launch_both<std::uint32_t>(out);
  launch_both<std::uint64_t>(out);
  launch_both<uint4>(out);
  expect(cudaFree(out));
}
