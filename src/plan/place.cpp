#include "plan/place.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "problem/fail.hpp"

namespace cornerturn {
namespace {

using type = pointer_attributes::memory;

std::string name_of(int place) { return place == kHost ? "host memory" : fmt::format("memory of device {}", place); }

std::string name_of(pointer_attributes const& memory) {
  if (memory.type == type::unreadable) return "unregistered memory that the CPU cannot read";
  return memory.type == type::managed ? "managed memory" : name_of(memory.type == type::device ? memory.device : kHost);
}

bool reaches(int place, pointer_attributes const& memory, bool capturing) {
  switch (memory.type) {
    case type::unregistered:
    case type::unreadable:
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

/// A place that can access the source; one that can access the destination, too, if there is one.
int best_place(call_memory const& memory) {
  auto const& [source, destination, capturing] = memory;
  if (source.type == type::device) return source.device;
  if (destination.type == type::device && reaches(destination.device, source, capturing)) return destination.device;
  return source.type == type::managed && destination.type == type::managed ? source.device : kHost;
}

}  // namespace

int place_of(processor_kind asked, call_memory const& memory) {
  if (asked == processor_kind::cpu) {
    for (auto const& [side, each] : {std::pair("source", memory.source), std::pair("destination", memory.destination)})
      if (!reaches(kHost, each, false)) refuse(side, name_of(each), "host memory where processor is cpu");
    return kHost;
  }
  int const place = best_place(memory);
  if (!reaches(place, memory.destination, memory.capturing))
    refuse("destination", name_of(memory.destination), fmt::format("{}, as the source is", name_of(place)));
  if (place == kHost && memory.capturing) {
    bool const of_source = memory.source.type != type::managed;
    bool const unknown = (of_source ? memory.source : memory.destination).type != type::host;
    refuse(of_source ? "source" : "destination",
           fmt::format("{} memory on a stream that is being captured", unknown ? "unregistered" : "host"),
           "a GPU's, with its number given as device, unless processor is cpu");
  }
  return place;
}

void refuse_unreadable(int place, call_memory const& memory) {
  if (place != kHost) return;
  for (auto const& [side, each] : {std::pair("source", memory.source), std::pair("destination", memory.destination)})
    if (each.type == type::unreadable)
      refuse(side, name_of(each),
             "host memory, or a GPU's, with its number given as device (CUDA does not know memory allocated during a capture)");
}

void refuse_unreachable(int place, call_memory const& memory) {
  refuse_unreadable(place, memory);
  for (auto const& [side, each] : {std::pair("source", memory.source), std::pair("destination", memory.destination)})
    if (!reaches(place, each, memory.capturing))
      refuse(side, name_of(each), fmt::format("{}, which the plan was made for", name_of(place)));
}

bool is_shared_with_gpu(int place, call_memory const& memory) {
  auto const may_be_used = [](pointer_attributes const& each) { return each.type == type::host || each.type == type::managed; };
  return place == kHost && (may_be_used(memory.source) || may_be_used(memory.destination));
}

}  // namespace cornerturn
