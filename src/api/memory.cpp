#include "api/memory.hpp"

#include <fmt/format.h>

#include "engine/gpu/devices.hpp"
#include "engine/gpu/gpu.hpp"
#include "problem/fail.hpp"

namespace cornerturn {
namespace {

void refuse_less_aligned(std::string_view side, void const* pointer, int needed) {
  auto const address = reinterpret_cast<std::uintptr_t>(pointer);
  if (address % unsigned(needed))
    refuse(side, fmt::format("{:#x}", address), fmt::format("a multiple of {} bytes, as the plan was made for", needed));
}

std::string name_of_place(int place) { return place == kHost ? "host memory" : fmt::format("memory of device {}", place); }

}  // namespace

void refuse_missing_gpu(processor asked) {
  if (asked != processor::gpu) return;
  if (auto const why = gpu::why_unavailable(); !why.empty())
    refuse("processor", "gpu", fmt::format("cpu or automatic here: {}", why));
}

int place_of(processor asked, void const* source, void const* destination) {
  int const place = gpu::device_of(source), other = gpu::device_of(destination);
  if (place != other) refuse("destination", name_of_place(other), fmt::format("{}, as the source is", name_of_place(place)));
  if (asked == processor::cpu && place != kHost) refuse("source", name_of_place(place), "host memory where processor is cpu");
  return place;
}

void refuse_memory(prepared_plan const& plan, void const* source, void const* destination) {
  refuse_overlap(plan.read, plan.written, source, destination);
  refuse_less_aligned("source", source, plan.aligned.source);
  refuse_less_aligned("destination", destination, plan.aligned.destination);
  int const place = place_of(processor::automatic, source, destination);
  if (place != plan.device)
    refuse("source", name_of_place(place), fmt::format("{}, which the plan was made for", name_of_place(plan.device)));
}

}  // namespace cornerturn
