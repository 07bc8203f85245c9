#include "api/memory.hpp"

#include <fmt/format.h>

#include "base/refuse.hpp"
#include "cornerturn/text.hpp"
#include "engine/gpu/devices.hpp"
#include "engine/gpu/gpu.hpp"
#include "problem/element_types.hpp"

namespace cornerturn {
namespace {

constexpr std::string_view kAsPlanned = ", as the plan was made for";

/// The attributes of a pointer of a call on `stream`. If CUDA is not started, the memory is the host's. A call that names a
/// stream may be meant for a GPU that this process cannot use, so then the memory is unregistered.
pointer_attributes attributes_in_call(void const* pointer, void* stream) {
  using memory = pointer_attributes::memory;
  if (!gpu::has_memory()) return {.type = stream ? memory::unregistered : memory::unqueried};
  return gpu::attributes_of(pointer);
}

/// The memory of a call. The stream is queried only if a side may be host memory, because its state does not matter otherwise.
call_memory memory_of(void const* source, void const* destination, void* stream) {
  call_memory result{attributes_in_call(source, stream), attributes_in_call(destination, stream)};
  if (!gpu::has_memory()) return result;
  auto const is_on_gpu = [](pointer_attributes const& each) {
    return each.type == pointer_attributes::memory::device || each.type == pointer_attributes::memory::managed;
  };
  result.capturing = stream && !(is_on_gpu(result.source) && is_on_gpu(result.destination)) && gpu::is_capturing(stream);
  return result;
}

/// The memory of a call that works in place.
call_memory memory_of(void const* data, void* stream) {
  auto result = memory_of(data, data, stream);
  result.source_name = result.destination_name = "data";
  return result;
}

/// The placement of a call whose memory memory_on(stream) reports.
template <class MemoryOn>
placement placement_in(copy_options const& options, MemoryOn const& memory_on) {
  if (options.device != -1) {
    if (options.processor == processor_kind::cpu) refuse("device", options.device, "-1 where processor is cpu");
    return {options.device};
  }
  void* const stream = options.processor == processor_kind::cpu ? nullptr : options.stream;
  auto const memory = memory_on(stream);
  int const place = place_of(options.processor, memory);
  return {place, stream && is_shared_with_gpu(place, memory), memory};
}

/// True for a plan of the CPU, which needs no alignment, as long as CUDA has no memory in this process.
bool is_surely_reachable(prepared_plan const& plan) { return plan.device == kHost && !gpu::has_memory(); }

/// Throws `error` if a plan for this place cannot access the memory.
void refuse_place(prepared_plan const& plan, call_memory const& memory, void const* source, void const* destination) {
  refuse_unreadable(plan.device, memory, {source, plan.read}, {destination, plan.written});
  refuse_unreachable(plan.device, memory);
}

}  // namespace

void refuse_missing_gpu(processor_kind asked) {
  if (asked != processor_kind::gpu) return;
  if (auto const why = gpu::why_unavailable(); !why.empty())
    refuse("processor", "gpu", fmt::format("cpu or automatic here: {}", why));
}

void refuse_misaligned(std::string_view name, void const* pointer, std::int64_t bytes, std::string_view why) {
  auto const address = reinterpret_cast<std::uintptr_t>(pointer);
  if (address % std::uintptr_t(bytes))
    refuse(name, fmt::format("{:#x}", address), fmt::format("a multiple of {}{}", count_text(bytes, "byte"), why));
}

placement placement_of(void const* source, void const* destination, copy_options const& options) {
  return placement_in(options, [&](void* stream) { return memory_of(source, destination, stream); });
}

placement placement_of(void const* data, copy_options const& options) {
  return placement_in(options, [&](void* stream) { return memory_of(data, stream); });
}

void refuse_memory(prepared_plan const& plan, void const* source, void const* destination, void* stream) {
  refuse_overlap(plan.read, plan.written, source, destination);
  if (is_surely_reachable(plan)) return;
  refuse_misaligned("source", source, plan.aligned.source, kAsPlanned);
  refuse_misaligned("destination", destination, plan.aligned.destination, kAsPlanned);
  refuse_place(plan, memory_of(source, destination, plan.device == kHost ? nullptr : stream), source, destination);
}

void refuse_memory(prepared_plan const& plan, void const* data, void* stream) {
  refuse_null("data", data);
  if (is_surely_reachable(plan)) return;
  refuse_misaligned("data", data, plan.aligned.destination, kAsPlanned);
  refuse_place(plan, memory_of(data, plan.device == kHost ? nullptr : stream), data, data);
}

void refuse_unreadable(std::string_view name, void const* pointer, void* stream) {
  if (pointer) refuse_unreadable(name, attributes_in_call(pointer, stream), {pointer, {0, 1}});
}

void refuse_factors(prepared_plan const& plan, byte_range const& written, void const* destination, void* stream) {
  auto const& operation = plan.simplest.operation;
  if (!operation || !is_affine(*operation) || plan.is_empty()) return;
  auto const range = factor_range(plan.simplest);
  auto const expect = [&](std::string_view name, void const* pointer) {
    if (!pointer) return;
    refuse_overlap({name, pointer, range}, {"the destination", destination, written});
    auto const memory = attributes_in_call(pointer, stream);
    if (plan.device == kHost) {
      if (memory.type == pointer_attributes::memory::device)
        refuse(name, "memory of a GPU", "host memory, because the CPU runs the call");
      return refuse_unreadable(name, memory, {pointer, {0, 1}});
    }
    bool const is_unknown = memory.type == pointer_attributes::memory::unregistered && !(stream && gpu::is_capturing(stream));
    if (is_unknown) refuse(name, "pageable host memory", "memory that the GPU can read");
  };
  expect("operation.scale", operation->scale);
  expect("operation.bias", operation->bias);
}

}  // namespace cornerturn
