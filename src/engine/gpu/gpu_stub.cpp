#include <fmt/format.h>

#include "cornerturn/error.hpp"

#include "base/refuse.hpp"
#include "engine/gpu/devices.hpp"
#include "engine/gpu/gpu.hpp"
#include "engine/gpu/host_memory.hpp"
#include "engine/gpu/inventory.hpp"
#include "engine/gpu/ladder.hpp"
#include "engine/gpu/nccl.hpp"
#include "engine/gpu/peer_copies.hpp"
#include "engine/gpu/peers.hpp"
#include "engine/gpu/stopwatch.hpp"
#include "engine/gpu/write.hpp"

// Replaces the GPU engine in a build without it. `why_unavailable` gives the reason, so callers call no other function.
namespace cornerturn::gpu {
namespace {

constexpr char const* kNoEngine = "this build has no GPU engine";

[[noreturn]] void refuse_gpu() { throw error(error_kind::device, kNoEngine); }

}  // namespace

std::string why_unavailable() { return kNoEngine; }
bool has_memory() { return false; }
pointer_attributes attributes_of(void const*) { return {}; }
bool is_capturing(void*) { return false; }
void synchronize(void*) { refuse_gpu(); }
device_context::device_context(int) { refuse_gpu(); }
device_context::~device_context() = default;
on_device::on_device(int) { refuse_gpu(); }
int current_device() { refuse_gpu(); }
gpu_attributes attributes_of_device(int) { refuse_gpu(); }
gpu_model const& model_of(int device) { refuse("device", device, fmt::format("-1 here: {}", kNoEngine)); }
stopwatch make_stopwatch(int, byte_range const&, byte_range const&, alignment const&) { refuse_gpu(); }
stopwatch make_stopwatch(int, std::int64_t, std::function<plan_memory(void*)> const&) { refuse_gpu(); }
run_in_host_memory make_run_in_host_memory(int, byte_range const&, byte_range const&, alignment const&) { refuse_gpu(); }
void run(std::span<step const>, plan_memory const&, void*) { refuse_gpu(); }
struct nccl_messages::state {};
nccl_messages::nccl_messages(void*, void*) { refuse_gpu(); }
nccl_messages::~nccl_messages() = default;
int nccl_messages::rank() const { refuse_gpu(); }
int nccl_messages::size() const { refuse_gpu(); }
int nccl_messages::device() const { refuse_gpu(); }
std::int64_t nccl_messages::send(void const*, std::int64_t, int) { refuse_gpu(); }
std::int64_t nccl_messages::receive(void*, std::int64_t, int) { refuse_gpu(); }
void nccl_messages::start() { refuse_gpu(); }
void nccl_messages::wait(std::int64_t) { refuse_gpu(); }
void expect_peer_access(int, int, void const*, std::string_view) { refuse_gpu(); }
void join(std::span<device_stream const>) { refuse_gpu(); }
std::optional<peer_copies> peer_copies::begin(device_stream) { refuse_gpu(); }
peer_copies::peer_copies(peer_copies&&) noexcept = default;
peer_copies::~peer_copies() = default;
void* peer_copies::next_buffer() { refuse_gpu(); }
void peer_copies::start(void*, std::int64_t, std::int64_t, std::int64_t) { refuse_gpu(); }
void peer_copies::join() { refuse_gpu(); }
void write(void*, std::span<std::byte const>, int, void*) { refuse_gpu(); }
stream_memory::stream_memory(std::int64_t, void*) { refuse_gpu(); }
stream_memory::~stream_memory() = default;
void permute_host_memory(problem const&, void const*, void*, std::function<void(double)> const&, std::int64_t, int) {
  refuse_gpu();
}
ladder_run run_ladder(ladder_options const&, std::vector<rung> const&, tile_choice const&,
                      std::function<void(std::string_view)> const&) {
  refuse_gpu();
}
void take_inventory(build_info& into) { into.gpu_problem = kNoEngine; }

}  // namespace cornerturn::gpu
