#include "plan/place.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "base/readable.hpp"
#include "base/refuse.hpp"
#include "cpu/sizes.hpp"

namespace cornerturn {
namespace {

using type = pointer_attributes::memory;

std::string name_of(int place) { return place == kHost ? "host memory" : fmt::format("memory of device {}", place); }

std::string name_of(pointer_attributes const& memory) {
  if (memory.type == type::unregistered) return "unregistered memory (the host's, or allocated during a capture)";
  return memory.type == type::managed ? "managed memory" : name_of(memory.type == type::device ? memory.device : kHost);
}

bool reaches(int place, pointer_attributes const& memory, bool capturing) {
  switch (memory.type) {
    case type::unqueried:
    case type::unregistered:
      return place == kHost || capturing;
    case type::host:
      return place == kHost;
    case type::device:
      return place == memory.device;
    case type::managed:
      return true;
  }
  return false;
}

/// A place that can access both sides, if there is one, else a place that can access the source.
int best_place(call_memory const& memory) {
  auto const& [source, destination, capturing, source_name, destination_name] = memory;
  if (source.type == type::device) return source.device;
  if (destination.type == type::device && reaches(destination.device, source, capturing)) return destination.device;
  return source.type == type::managed && destination.type == type::managed ? source.device : kHost;
}

/// True if the CPU can read around both ends of a range that is not empty.
bool ends_are_readable(void const* pointer, byte_range const& range) {
  auto const begin = reinterpret_cast<std::uintptr_t>(pointer);
  auto const first = begin + std::uintptr_t(range.low), last = begin + std::uintptr_t(range.high) - 1;
  // memory is readable page by page
  return is_readable(reinterpret_cast<void const*>(first)) &&
         (first / kPage == last / kPage || is_readable(reinterpret_cast<void const*>(last)));
}

}  // namespace

int place_of(processor_kind asked, call_memory const& memory) {
  if (asked == processor_kind::cpu) {
    for (auto const& [side, each] :
         {std::pair(memory.source_name, memory.source), std::pair(memory.destination_name, memory.destination)})
      if (!reaches(kHost, each, false)) refuse(side, name_of(each), "host memory where processor is cpu");
    return kHost;
  }
  int const place = best_place(memory);
  if (!reaches(place, memory.destination, memory.capturing))
    refuse(memory.destination_name, name_of(memory.destination), fmt::format("{}, as the source is", name_of(place)));
  if (place == kHost && memory.capturing) {
    bool const of_source = memory.source.type != type::managed;
    bool const unknown = (of_source ? memory.source : memory.destination).type != type::host;
    refuse(of_source ? memory.source_name : memory.destination_name,
           fmt::format("{} memory on a stream that is being captured", unknown ? "unregistered" : "host"),
           "a GPU's, with its number given as device, unless processor is cpu");
  }
  return place;
}

void refuse_unreadable(std::string_view name, pointer_attributes const& memory, accessed_bytes const& bytes) {
  if (memory.type == type::unregistered && !ends_are_readable(bytes.pointer, bytes.range))
    refuse(name, "unregistered memory that the CPU cannot read",
           "host memory, or a GPU's, with its number given as device (CUDA does not know memory allocated during a capture)");
}

void refuse_unreadable(int place, call_memory const& memory, accessed_bytes const& read, accessed_bytes const& written) {
  if (place != kHost) return;
  refuse_unreadable(memory.source_name, memory.source, read);
  refuse_unreadable(memory.destination_name, memory.destination, written);
}

void refuse_unreachable(int place, call_memory const& memory) {
  for (auto const& [side, each] :
       {std::pair(memory.source_name, memory.source), std::pair(memory.destination_name, memory.destination)})
    if (!reaches(place, each, memory.capturing))
      refuse(side, name_of(each), fmt::format("{}, which the plan was made for", name_of(place)));
}

bool is_shared_with_gpu(int place, call_memory const& memory) {
  auto const may_be_used = [](pointer_attributes const& each) { return each.type == type::host || each.type == type::managed; };
  return place == kHost && (may_be_used(memory.source) || may_be_used(memory.destination));
}

}  // namespace cornerturn
