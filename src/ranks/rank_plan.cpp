#include "cornerturn/distributed.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "api/memory.hpp"
#include "api/own_workspace.hpp"
#include "api/prepare.hpp"
#include "base/refuse.hpp"
#include "engine/gpu/devices.hpp"
#include "problem/validate.hpp"
#include "ranks/rank_exchange.hpp"

namespace cornerturn::distributed {
namespace {

void pack_message(planned_moves const& of, std::size_t i, void const* source, void* buffer, copy_options const& options) {
  if (auto const& each = of.sends.copies[i])
    of.copy(*each, source, static_cast<std::byte*>(buffer) + of.sends.all[i].offset, options);
}

void unpack_message(planned_moves const& of, std::size_t i, void const* buffer, void* destination, copy_options const& options) {
  if (auto const& each = of.receives.copies[i])
    of.copy(*each, static_cast<std::byte const*>(buffer) + of.receives.all[i].offset, destination, options);
}

void move_kept_part(planned_moves const& of, std::size_t batch, void const* source, void* destination,
                    copy_options const& options) {
  auto const batches = of.batches.size(), parts = of.kept_parts.size();
  for (auto i = batch * parts / batches; i < (batch + 1) * parts / batches; ++i)
    of.copy(of.kept_parts[i], source, destination, options);
}

std::size_t index_given(std::string_view name, std::size_t index, std::size_t count, std::string_view of) {
  if (index >= count) refuse(name, index, fmt::format("less than {}, the number of {}", count, of));
  return index;
}

/// Throws `error` for pointers that a run cannot use. `device` is the place of messages. Returns the place of the memory:
/// `device`, or kHost if both blocks are empty.
int refuse_blocks(rank_moves const& part, void const* source, void* destination, int device, int threads) {
  threads_given(threads);
  if (part.source_bytes > 0) refuse_null("source", source);
  if (part.destination_bytes > 0) refuse_null("destination", destination);
  if (part.source_bytes > 0 && part.destination_bytes > 0)
    refuse_overlap({0, part.source_bytes}, {0, part.destination_bytes}, source, destination);
  auto const* const first = part.source_bytes > 0 ? source : destination;
  auto const* const second = part.destination_bytes > 0 ? destination : source;
  if (part.source_bytes + part.destination_bytes == 0) return kHost;
  auto const processor = device == kHost ? processor_kind::cpu : processor_kind::automatic;
  auto const place = placement_of(first, second, copy_options{.processor = processor}).place;
  if (place != device)
    refuse("source or destination", place == kHost ? "host memory" : fmt::format("memory of device {}", place),
           fmt::format("memory of device {}, as the messages of ranks are", device));
  return place;
}

/// The messages of a run. They must be complete before the destructor runs.
class run_of_messages {
 public:
  run_of_messages(planned_moves const& part, communicator& ranks, void const* source, void* destination, void* workspace,
                  copy_options const& options)
      : part_(part),
        ranks_(ranks),
        source_(static_cast<std::byte const*>(source)),
        destination_(static_cast<std::byte*>(destination)),
        packed_(static_cast<std::byte*>(workspace)),
        received_(packed_ + part.receive_offset()),
        options_(options) {}

  void run() {
    for (auto const& each : part_.batches) start(each);
    for (std::size_t batch = 0; batch < part_.batches.size(); ++batch) {
      move_kept_part(part_, batch, source_, destination_, options_);
      for (auto i = part_.batches[batch].first_receive; i < part_.batches[batch].end_receive; ++i) {
        ranks_.wait(receives_[i]);
        unpack_message(part_, i, received_, destination_, options_);
      }
    }
    for (auto const each : sends_) ranks_.wait(each);
  }

 private:
  void start(batch const& each) {
    for (auto i = each.first_receive; i < each.end_receive; ++i) {
      auto const& message = part_.receives.all[i];
      receives_.push_back(
          ranks_.irecv((message.is_direct ? destination_ : received_) + message.offset, message.bytes, message.peer));
    }
    for (auto i = each.first_send; i < each.end_send; ++i) {
      auto const& message = part_.sends.all[i];
      pack_message(part_, i, source_, packed_, options_);
      sends_.push_back(ranks_.isend((message.is_direct ? source_ : packed_) + message.offset, message.bytes, message.peer));
    }
    ranks_.start();
  }

  planned_moves const& part_;
  communicator& ranks_;
  std::byte const* source_;
  std::byte *destination_, *packed_, *received_;
  copy_options options_;
  std::vector<std::int64_t> sends_, receives_;  // numbers for `wait`
};

}  // namespace

communicator::~communicator() = default;
int communicator::device() const { return kHost; }
void* communicator::stream() const { return nullptr; }
void communicator::start() {}

void synchronize(int device, void* stream) {
  gpu::on_device const current(device);
  gpu::synchronize(stream);
}

rank_plan::rank_plan(description const& given, int rank) : exchange_(std::make_shared<rank_exchange const>(given, rank)) {}

planned_moves const& rank_plan::part() const {
  if (form_ == form::whole) return exchange_->whole();
  return form_ == form::in_runs ? exchange_->in_runs() : exchange_->in_batches();
}

rank_plan rank_plan::in_runs() const {
  auto result = *this;
  result.form_ = form::in_runs;
  return result;
}

rank_plan rank_plan::in_batches() const {
  auto result = *this;
  result.form_ = form::in_batches;
  return result;
}

int rank_plan::rank() const { return part().rank; }
std::int64_t rank_plan::element_size() const { return exchange_->all.element_size.source; }

box rank_plan::source_block() const { return box_of(part().source_block); }

std::vector<std::int64_t> rank_plan::destination_shape() const { return part().destination_shape; }
std::span<message const> rank_plan::sends() const { return part().sends.all; }
std::span<message const> rank_plan::receives() const { return part().receives.all; }
std::span<batch const> rank_plan::batches() const { return part().batches; }
std::int64_t rank_plan::bytes_kept() const { return part().bytes_kept; }
std::int64_t rank_plan::send_bytes() const { return part().sends.buffer_bytes; }
std::int64_t rank_plan::receive_bytes() const { return part().receives.buffer_bytes; }
std::int64_t rank_plan::workspace_bytes() const { return part().workspace_bytes(); }

void rank_plan::pack(std::size_t send, void const* source, void* buffer, copy_options const& options) const {
  pack_message(part(), index_given("send", send, sends().size(), "messages"), source, buffer, options);
}

void rank_plan::unpack(std::size_t receive, void const* buffer, void* destination, copy_options const& options) const {
  unpack_message(part(), index_given("receive", receive, receives().size(), "messages"), buffer, destination, options);
}

void rank_plan::write(void const* source, void* destination, std::span<void* const> peer_destinations,
                      copy_options const& options) const {
  if (peer_destinations.size() != sends().size())
    refuse({"peer_destinations", "the number of {}"}, peer_destinations.size(),
           fmt::format("{}, the number of messages", sends().size()));
  auto const& all = part();
  auto const& moves = all.sends.writes;
  if (all.source_bytes > 0) refuse_null("source", source);
  if (all.bytes_kept > 0) {
    refuse_null("destination", destination);
    refuse_overlap(source_range(all.kept), destination_range(all.kept), source, destination);
  }
  for (std::size_t i = 0; i < moves.size(); ++i) {
    refuse_null(fmt::format("peer_destinations[{}]", i), peer_destinations[i]);
    refuse_overlap(source_range(moves[i]), destination_range(moves[i]), source, peer_destinations[i]);
  }
  rank_writes writes(all, source, destination, peer_destinations, options);
  for (std::size_t part = 0; part < writes.parts(); ++part) writes.start(part);
  writes.join();
}

void rank_plan::keep(void const* source, void* destination, copy_options const& options) const {
  if (bytes_kept() > 0) part().copy(part().kept, source, destination, options);
}

void rank_plan::keep_part(std::size_t batch, void const* source, void* destination, copy_options const& options) const {
  move_kept_part(part(), index_given("batch", batch, batches().size(), "batches"), source, destination, options);
}

void rank_plan::run(void const* source, void* destination, communicator& ranks, void* workspace, int threads) const {
  planned_moves const* mine = nullptr;
  std::unique_ptr<own_workspace> own;
  copy_options options{.processor = processor_kind::cpu, .threads = threads};
  agree(ranks, exchange_->digests, [&] {
    mine = ranks.device() == kHost ? &exchange_->in_runs() : &exchange_->in_batches();
    if (ranks.rank() != mine->rank || ranks.size() != mine->ranks)
      refuse("ranks", fmt::format("rank {} of {}", ranks.rank(), ranks.size()),
             fmt::format("rank {} of {}, for which the plan was made", mine->rank, mine->ranks));
    auto const place = refuse_blocks(*mine, source, destination, ranks.device(), threads);
    if (place != kHost) options = {.stream = ranks.stream(), .device = place};
    auto const& all = exchange_->all;
    if (all.operation) {
      constexpr std::string_view kToChange = ", to change elements";
      refuse_misaligned("source", source, all.element_size.source, kToChange);
      refuse_misaligned("destination", destination, all.element_size.destination, kToChange);
      refuse_misaligned("workspace", workspace, all.message_element_size(), kToChange);
    }
    if (auto const bytes = mine->workspace_bytes(); !workspace && bytes > 0) {
      own = std::make_unique<own_workspace>(place, bytes, ranks.stream());
      workspace = own->get();
    }
  });
  try {
    run_of_messages(*mine, ranks, source, destination, workspace, options).run();
  } catch (std::exception const& failed) {
    // Messages of earlier batches may still use the memory of a GPU, and their end is not known.
    if (ranks.device() != kHost) static_cast<void>(own.release());
    ranks.abort(failed.what());
    throw;
  }
}

rank_plan plan(description const& given, communicator& ranks) {
  std::unique_ptr<rank_plan> result;
  agree(ranks, digests_of("plan", given), [&] {
    auto const all = checked(given).source.ranks();
    if (all != ranks.size())
      refuse({"source.grid", "the number of ranks of {}"}, all, fmt::format("{}, the number of ranks", ranks.size()));
    result = std::make_unique<rank_plan>(given, ranks.rank());
  });
  return *result;
}

void permute(void const* source, void* destination, description const& given, communicator& ranks) {
  plan(given, ranks).run(source, destination, ranks);
}

}  // namespace cornerturn::distributed
