#pragma once
// Records the memory accesses of your own kernel on your GPU, for `cornerturn explain --trace` (docs/explain.md). C++17. It
// includes no other header of cornerturn.

#include <cuda_runtime.h>

#include <cstdio>
#include <stdexcept>
#include <vector>

namespace cornerturn {

/// An access of a thread. Lanes that access memory together have equal requests.
struct traced_access {
  unsigned long long address, block, request;
  int thread, line, bytes;
  bool store, shared;
};

/// Writes accesses as lines of a trace. Names have no blanks.
inline void print_accesses(std::FILE* to, char const* kernel, char const* file, std::vector<traced_access> const& all) {
  for (auto const& each : all)
    std::fprintf(to, "%s %llu %d %s:%d %llu %s %s %#llx %d\n", kernel, each.block, each.thread, file, each.line, each.request,
                 each.store ? "store" : "load", each.shared ? "shared" : "global", each.address, each.bytes);
}

/// The parameter of a kernel that records: out[i] = trace.load(in[i]), trace.store(tile[y][x]) = value. Both return what they
/// get.
struct trace {
  traced_access* accesses;
  unsigned long long *count, most;

  template <class T>
  __device__ T const& load(T const& at, int line = __builtin_LINE()) const {
    return add(&at, sizeof(T), false, line), at;
  }
  template <class T>
  __device__ T& store(T& at, int line = __builtin_LINE()) const {
    return add(&at, sizeof(T), true, line), at;
  }
  __device__ void add(void const* at, int bytes, bool store, int line) const {
    int const thread = int((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x), lane = thread % 32;
    auto const block = (blockIdx.z * 1ull * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned const active = __activemask();
    int const leader = __ffs(int(active)) - 1;
    unsigned long long first = lane == leader ? atomicAdd(count, __popc(active) * 1ull) : 0;
    first = __shfl_sync(active, first, leader);
    auto const place = first + __popc(active & ((1u << lane) - 1));
    bool const shared = __isShared(at);
    auto const address = shared ? __cvta_generic_to_shared(at) : reinterpret_cast<unsigned long long>(at);
    if (place < most) accesses[place] = {address, block, first, thread, line, bytes, store, shared};
  }
};

/// Memory for accesses, 40 bytes each, on the current GPU: trace_memory memory; kernel<<<grid, block>>>(out, in, memory.get()).
class trace_memory {
 public:
  explicit trace_memory(unsigned long long most = 1 << 22) : trace_{nullptr, nullptr, most} {
    expect(cudaMalloc(&trace_.accesses, most * sizeof(traced_access)));
    expect(cudaMalloc(&trace_.count, sizeof(*trace_.count)));
    expect(cudaMemset(trace_.count, 0, sizeof(*trace_.count)));
  }
  trace_memory(trace_memory const&) = delete;
  ~trace_memory() { cudaFree(trace_.accesses), cudaFree(trace_.count); }
  trace get() const { return trace_; }

  /// Waits for the kernel and writes what it recorded, as lines of `file`, which is __FILE__. Throws std::runtime_error for
  /// errors of CUDA, and if there were more accesses than room.
  void write(std::FILE* to, char const* kernel, char const* file) const {
    unsigned long long count = 0;
    expect(cudaMemcpy(&count, trace_.count, sizeof(count), cudaMemcpyDefault));
    if (count > trace_.most) throw std::runtime_error("the kernel makes more accesses than the trace has room for");
    std::vector<traced_access> accesses(count);
    expect(cudaMemcpy(accesses.data(), trace_.accesses, count * sizeof(traced_access), cudaMemcpyDefault));
    print_accesses(to, kernel, file, accesses);
  }

 private:
  static void expect(cudaError_t done) {
    if (done != cudaSuccess) throw std::runtime_error(cudaGetErrorString(done));
  }
  trace trace_;
};

}  // namespace cornerturn
