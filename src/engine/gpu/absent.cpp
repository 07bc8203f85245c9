#include <fmt/format.h>

#include "cornerturn/error.hpp"

#include "engine/gpu/devices.hpp"
#include "engine/gpu/gpu.hpp"
#include "engine/gpu/host_memory.hpp"
#include "engine/gpu/inventory.hpp"
#include "engine/gpu/ladder.hpp"
#include "engine/gpu/stopwatch.hpp"
#include "problem/fail.hpp"

// The GPU engine of a build without one: it says so, and nothing else is ever called.
namespace cornerturn::gpu {
namespace {

constexpr char const* kAbsent = "this build has no GPU engine";

[[noreturn]] void absent() { throw error(error_kind::device, kAbsent); }

}  // namespace

std::string why_unavailable() { return kAbsent; }
pointer_attributes attributes_of(void const*) { return {}; }
bool is_capturing(void*) { return false; }
void synchronize(void*) { absent(); }
device_context::device_context(int) { absent(); }
device_context::~device_context() = default;
on_device::on_device(int) { absent(); }
int current_device() { absent(); }
gpu_attributes attributes_of_device(int) { absent(); }
gpu_model const& model_of(int device) { refuse("device", device, fmt::format("-1 here: {}", kAbsent)); }
stopwatch make_stopwatch(int, byte_range const&, byte_range const&, alignment const&) { absent(); }
void run(rung_plan const&, void const*, void*, void*) { absent(); }
void run(candidate const&, void const*, void*, void*) { absent(); }
void permute_host_memory(problem const&, void const*, void*, std::function<void(double)> const&, std::int64_t) { absent(); }
ladder_run climb(ladder_options const&, std::vector<rung> const&, tile_choice const&,
                 std::function<void(std::string_view)> const&) {
  absent();
}
void take_inventory(build_info& into) { into.gpu_problem = kAbsent; }

}  // namespace cornerturn::gpu
