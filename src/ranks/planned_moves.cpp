#include "ranks/planned_moves.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>

#include "api/one_shot.hpp"
#include "api/prepare.hpp"
#include "engine/gpu/peer_copies.hpp"

namespace cornerturn::distributed {

void planned_moves::copy(problem const& each, void const* source, void* destination, copy_options const& options) const {
  auto const* const from = static_cast<std::byte const*>(source) + each.source_offset * each.element_size.source;
  auto* const to = static_cast<std::byte*>(destination) + each.destination_offset * each.element_size.destination;
  auto const without_offsets = [&] {
    auto result = each;
    result.source_offset = result.destination_offset = 0;
    return result;
  };
  run_call(from, to, options, without_offsets, [&](where const& at) {
    std::lock_guard const lock(mutex_);
    auto& kept = plans_[{each.modes, each.element_size, each.operation.has_value(), at}];
    if (!kept) kept = prepare_plan(without_offsets(), at);
    return kept;
  });
}

std::vector<written_part> const& planned_moves::written(bool in_buffers) const {
  auto const most = in_buffers ? gpu::kPeerBufferBytes : std::numeric_limits<std::int64_t>::max();
  return (in_buffers ? buffered_writes_ : whole_writes_).get([&] { return written_parts(*this, most); });
}

}  // namespace cornerturn::distributed
