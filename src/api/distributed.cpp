#include "cornerturn/distributed.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>

#include "api/memory.hpp"
#include "api/prepare.hpp"
#include "distributed/agreement.hpp"
#include "distributed/exchange.hpp"
#include "problem/fail.hpp"
#include "problem/validate.hpp"

namespace cornerturn::distributed {

struct rank_exchange : exchange {
  description given;
  std::vector<digest> digests;
};

namespace {

/// Runs a problem between its offsets.
void copy(problem const& each, void const* source, void* destination, copy_options const& options) {
  std::vector<std::int64_t> extents, source_strides, destination_strides;
  for (auto const& mode : each.modes) {
    extents.push_back(mode.extent);
    source_strides.push_back(mode.source_stride);
    destination_strides.push_back(mode.destination_stride);
  }
  auto const size = shared_element_size(each);
  strided_copy(static_cast<std::byte const*>(source) + each.source_offset * size, source_strides,
               static_cast<std::byte*>(destination) + each.destination_offset * size, destination_strides, extents, size,
               options);
}

void pack_message(messages const& sends, std::size_t i, void const* source, void* buffer, copy_options const& options) {
  auto const& each = sends.all[i];
  if (!each.is_direct) copy(sends.copies[i], source, static_cast<std::byte*>(buffer) + each.offset, options);
}

void unpack_message(messages const& receives, std::size_t i, void const* buffer, void* destination, copy_options const& options) {
  auto const& each = receives.all[i];
  if (!each.is_direct) copy(receives.copies[i], static_cast<std::byte const*>(buffer) + each.offset, destination, options);
}

std::size_t index_given(std::string_view name, std::size_t index, messages const& of) {
  if (index >= of.all.size()) refuse(name, index, fmt::format("less than {}, the number of messages", of.all.size()));
  return index;
}

/// Throws `error` for pointers that a run cannot use.
void refuse_blocks(exchange const& part, void const* source, void* destination, int threads) {
  threads_given(threads);
  if (part.source_bytes > 0) refuse_null("source", source);
  if (part.destination_bytes > 0) refuse_null("destination", destination);
  if (part.source_bytes > 0 && part.destination_bytes > 0)
    refuse_overlap({0, part.source_bytes}, {0, part.destination_bytes}, source, destination);
  if (part.source_bytes > 0) placement_of(source, copy_options{.processor = processor_kind::cpu});
  if (part.destination_bytes > 0) placement_of(destination, copy_options{.processor = processor_kind::cpu});
}

/// The messages of a run. The destructor expects that none is on its way.
class run_of_messages {
 public:
  run_of_messages(exchange const& part, communicator& ranks, void const* source, void* destination, std::byte* workspace,
                  int threads)
      : part_(part),
        ranks_(ranks),
        source_(static_cast<std::byte const*>(source)),
        destination_(static_cast<std::byte*>(destination)),
        packed_(workspace),
        received_(workspace + part.receive_offset()),
        options_{.processor = processor_kind::cpu, .threads = threads} {}

  void run() {
    std::vector<std::int64_t> sends, receives;
    for (auto const& each : part_.receives.all)
      receives.push_back(ranks_.irecv((each.is_direct ? destination_ : received_) + each.offset, each.bytes, each.peer));
    for (std::size_t i = 0; i < part_.sends.all.size(); ++i) {
      auto const& each = part_.sends.all[i];
      pack_message(part_.sends, i, source_, packed_, options_);
      sends.push_back(ranks_.isend((each.is_direct ? source_ : packed_) + each.offset, each.bytes, each.peer));
    }
    if (part_.bytes_kept > 0) copy(part_.kept, source_, destination_, options_);
    for (std::size_t i = 0; i < receives.size(); ++i) {
      ranks_.wait(receives[i]);
      unpack_message(part_.receives, i, received_, destination_, options_);
    }
    for (auto const each : sends) ranks_.wait(each);
  }

 private:
  exchange const& part_;
  communicator& ranks_;
  std::byte const* source_;
  std::byte *destination_, *packed_, *received_;
  copy_options options_;
};

}  // namespace

communicator::~communicator() = default;

rank_plan::rank_plan(description const& given, int rank)
    : exchange_(std::make_shared<rank_exchange>(exchange_of(checked(given), rank), given, digests_of("run", given))) {}

int rank_plan::rank() const { return exchange_->rank; }
std::int64_t rank_plan::element_size() const { return exchange_->given.element_size; }

box rank_plan::source_block() const {
  box result;
  for (auto const& each : exchange_->source_block) {
    result.begin.push_back(each.begin);
    result.extents.push_back(each.end - each.begin);
  }
  return result;
}

std::vector<std::int64_t> rank_plan::destination_shape() const { return exchange_->destination_shape; }
std::span<message const> rank_plan::sends() const { return exchange_->sends.all; }
std::span<message const> rank_plan::receives() const { return exchange_->receives.all; }
std::span<batch const> rank_plan::batches() const { return exchange_->batches; }
std::int64_t rank_plan::bytes_kept() const { return exchange_->bytes_kept; }
std::int64_t rank_plan::send_bytes() const { return exchange_->sends.buffer_bytes; }
std::int64_t rank_plan::receive_bytes() const { return exchange_->receives.buffer_bytes; }
std::int64_t rank_plan::workspace_bytes() const { return exchange_->workspace_bytes(); }

void rank_plan::pack(std::size_t send, void const* source, void* buffer, copy_options const& options) const {
  pack_message(exchange_->sends, index_given("send", send, exchange_->sends), source, buffer, options);
}

void rank_plan::unpack(std::size_t receive, void const* buffer, void* destination, copy_options const& options) const {
  unpack_message(exchange_->receives, index_given("receive", receive, exchange_->receives), buffer, destination, options);
}

void rank_plan::write(std::size_t send, void const* source, void* peer_destination, copy_options const& options) const {
  copy(exchange_->writes[index_given("send", send, exchange_->sends)], source, peer_destination, options);
}

void rank_plan::keep(void const* source, void* destination, copy_options const& options) const {
  if (exchange_->bytes_kept > 0) copy(exchange_->kept, source, destination, options);
}

void rank_plan::run(void const* source, void* destination, communicator& ranks, void* workspace, int threads) const {
  std::unique_ptr<std::byte[]> own;
  agree(ranks, exchange_->digests, [&] {
    if (ranks.rank() != exchange_->rank || ranks.size() != exchange_->ranks)
      refuse("ranks", fmt::format("rank {} of {}", ranks.rank(), ranks.size()),
             fmt::format("rank {} of {}, for which the plan was made", exchange_->rank, exchange_->ranks));
    refuse_blocks(*exchange_, source, destination, threads);
    if (!workspace && workspace_bytes() > 0) {
      own = std::make_unique_for_overwrite<std::byte[]>(std::size_t(workspace_bytes()));
      workspace = own.get();
    }
  });
  try {
    run_of_messages(*exchange_, ranks, source, destination, static_cast<std::byte*>(workspace), threads).run();
  } catch (std::exception const& failed) {
    ranks.abort(failed.what());
    throw;
  }
}

rank_plan plan(description const& given, communicator& ranks) {
  std::unique_ptr<rank_plan> result;
  agree(ranks, digests_of("plan", given), [&] {
    auto const all = checked(given).source.ranks();
    if (all != ranks.size())
      refuse("the number of ranks of source.grid", all, fmt::format("{}, the number of ranks", ranks.size()));
    result = std::make_unique<rank_plan>(given, ranks.rank());
  });
  return *result;
}

void permute(void const* source, void* destination, description const& given, communicator& ranks) {
  plan(given, ranks).run(source, destination, ranks);
}

}  // namespace cornerturn::distributed
