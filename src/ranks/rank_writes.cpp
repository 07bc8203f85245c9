#include <algorithm>
#include <cstddef>
#include <utility>

#include "api/memory.hpp"
#include "engine/gpu/devices.hpp"
#include "ranks/rank_exchange.hpp"

namespace cornerturn::distributed {
namespace {

/// The GPU whose copy engines may write messages, or kHost, also if no message is large enough.
int copying_device(rank_moves const& of, void const* source, std::span<void* const> peers, copy_options const& options) {
  if (std::ranges::none_of(of.sends.all, [](message const& each) { return each.bytes > gpu::kPeerBufferBytes; })) return kHost;
  auto const place = options.device >= 0 ? options.device : placement_of(source, peers[0], options).place;
  return place == kHost || gpu::is_capturing(options.stream) ? kHost : place;
}

}  // namespace

rank_writes::rank_writes(planned_moves const& of, void const* source, void* destination, std::span<void* const> peers,
                         copy_options const& options)
    : moves_(of), source_(source), destination_(destination), peers_(peers), options_(options) {
  auto const device = copying_device(of, source, peers, options);
  parts_ = of.written(device != kHost);
  if (std::ranges::any_of(parts_, [](written_part const& each) { return each.staged.has_value(); }))
    if (auto begun = gpu::peer_copies::begin({device, options.stream})) copies_.emplace(std::move(*begun));
}

void rank_writes::start(std::size_t part) {
  auto const& [problem, send, staged] = parts_[part];
  if (!staged || !copies_)
    return moves_.copy(problem, source_, send == written_part::kKept ? destination_ : peers_[send], options_);
  moves_.copy(staged->pack, source_, copies_->next_buffer(), options_);
  auto const& rows = staged->rows;
  copies_->start(static_cast<std::byte*>(peers_[send]) + rows.offset, rows.bytes, rows.pitch, rows.count);
}

void rank_writes::join() {
  if (copies_) copies_->join();
}

}  // namespace cornerturn::distributed
