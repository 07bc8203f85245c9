#include "engine/gpu/nccl.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "base/fork_safe_static.hpp"
#include "cornerturn/error.hpp"
#include "cuda/handles.hpp"
#include "engine/gpu/devices.hpp"

namespace cornerturn::gpu {
namespace {

/// The functions of NCCL's C interface that are used, with its types: ncclComm_t is a pointer, ncclResult_t an enumeration whose
/// value 0 is success, and the data type ncclUint8 is 1.
struct nccl_functions {
  using result = int;
  static constexpr int kBytes = 1;

  template <class Function>
  static Function* find(char const* name) {
    // the library that the program uses, under whatever name, or the one on the search path
    void* found = dlsym(RTLD_DEFAULT, name);
    if (!found)
      if (void* const library = dlopen("libnccl.so.2", RTLD_NOW)) found = dlsym(library, name);
    if (!found)
      throw error(error_kind::device, fmt::format("NCCL's function {} is not found; libnccl.so.2 must be loaded", name));
    return reinterpret_cast<Function*>(found);
  }

  result (*group_start)() = find<result()>("ncclGroupStart");
  result (*group_end)() = find<result()>("ncclGroupEnd");
  result (*send)(void const*, std::size_t, int, int, void*,
                 cudaStream_t) = find<result(void const*, std::size_t, int, int, void*, cudaStream_t)>("ncclSend");
  result (*recv)(void*, std::size_t, int, int, void*,
                 cudaStream_t) = find<result(void*, std::size_t, int, int, void*, cudaStream_t)>("ncclRecv");
  result (*count)(void*, int*) = find<result(void*, int*)>("ncclCommCount");
  result (*rank)(void*, int*) = find<result(void*, int*)>("ncclCommUserRank");
  result (*device)(void*, int*) = find<result(void*, int*)>("ncclCommCuDevice");
  char const* (*text)(result) = find<char const*(result)>("ncclGetErrorString");
};

nccl_functions const& nccl() {
  static constinit fork_safe_static<nccl_functions const> found;
  return found.get([] { return nccl_functions(); });
}

void check_nccl(int status, char const* call) {
  if (status != 0) throw error(error_kind::device, fmt::format("{} failed: {}", call, nccl().text(status)), status);
}

}  // namespace

struct nccl_messages::state {
  /// A message that is noted. One of the pointers is null.
  struct noted {
    void const* sent;
    void* received;
    std::int64_t bytes;
    int peer;
  };

  void* ranks;
  cudaStream_t stream;
  int rank = 0, size = 0, device = 0;
  stream_handle wire;
  std::vector<noted> next;            // messages that wait for `start`
  std::vector<event_handle> arrived;  // one for each batch that was started since the last time no message was pending
  std::vector<std::size_t> batches;   // the index of each message's batch
  std::size_t pending = 0;            // messages for which nobody has waited

  std::int64_t note(noted const& message) {
    next.push_back(message);
    batches.push_back(arrived.size());
    ++pending;
    return std::int64_t(batches.size()) - 1;
  }
};

nccl_messages::nccl_messages(void* ranks, void* stream)
    : state_(std::make_unique<state>(state{.ranks = ranks, .stream = static_cast<cudaStream_t>(stream), .wire = {}})) {
  check_nccl(nccl().rank(ranks, &state_->rank), "ncclCommUserRank");
  check_nccl(nccl().count(ranks, &state_->size), "ncclCommCount");
  check_nccl(nccl().device(ranks, &state_->device), "ncclCommCuDevice");
  on_device const current(state_->device);
  state_->wire = make_urgent_stream();  // so that kernels that pack do not delay messages
}
nccl_messages::~nccl_messages() = default;

int nccl_messages::rank() const { return state_->rank; }
int nccl_messages::size() const { return state_->size; }
int nccl_messages::device() const { return state_->device; }

std::int64_t nccl_messages::send(void const* data, std::int64_t bytes, int peer) {
  return state_->note({data, nullptr, bytes, peer});
}
std::int64_t nccl_messages::receive(void* data, std::int64_t bytes, int peer) {
  return state_->note({nullptr, data, bytes, peer});
}

void nccl_messages::start() {
  auto& of = *state_;
  if (of.next.empty()) return;
  on_device const current(of.device);
  wait_for(recorded_event(of.stream), of.wire.get());
  int failed = 0;
  check_nccl(nccl().group_start(), "ncclGroupStart");
  for (auto const& [sent, received, bytes, peer] : of.next)
    if (failed == 0)
      failed = sent ? nccl().send(sent, std::size_t(bytes), nccl_functions::kBytes, peer, of.ranks, of.wire.get())
                    : nccl().recv(received, std::size_t(bytes), nccl_functions::kBytes, peer, of.ranks, of.wire.get());
  // An open group would keep back all later calls of this thread.
  auto const ended = nccl().group_end();
  check_nccl(failed, "ncclSend or ncclRecv");
  check_nccl(ended, "ncclGroupEnd");
  of.next.clear();
  of.arrived.push_back(recorded_event(of.wire.get()));
}

void nccl_messages::wait(std::int64_t number) {
  auto& of = *state_;
  on_device const current(of.device);
  wait_for(of.arrived.at(of.batches.at(std::size_t(number))), of.stream);
  if (--of.pending > 0) return;
  of.arrived.clear();
  of.batches.clear();
}

}  // namespace cornerturn::gpu
