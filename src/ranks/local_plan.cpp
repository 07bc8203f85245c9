#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "api/memory.hpp"
#include "base/refuse.hpp"
#include "cornerturn/distributed.hpp"
#include "distributed/peers.hpp"
#include "engine/gpu/peers.hpp"
#include "ranks/rank_exchange.hpp"

namespace cornerturn::distributed {
namespace {

/// The addresses of a block, named for messages. Blocks that are read may overlap one another.
struct block_range {
  std::uintptr_t low, high;
  bool is_written;
  std::string name;
};

/// Throws `error` if a block that is written overlaps another block.
void refuse_overlaps(std::vector<block_range> blocks) {
  std::ranges::sort(blocks, {}, &block_range::low);
  block_range const* last = nullptr;     // among the blocks before this one, the block that ends last
  block_range const* written = nullptr;  // among the blocks before this one, the written block that ends last
  for (auto const& each : blocks) {
    auto const* const other = each.is_written ? last : written;
    if (other && each.low < other->high) refuse(each.name, "within the addresses of " + other->name, "memory of its own");
    if (!last || each.high > last->high) last = &each;
    if (each.is_written && (!written || each.high > written->high)) written = &each;
  }
}

/// The place of a rank's blocks: the number of a GPU, or kHost, also if both blocks are empty.
int place_of(rank_memory const& blocks, std::int64_t rank) try {
  auto const* const source = blocks.source ? blocks.source : blocks.destination;
  auto const* const destination = blocks.destination ? blocks.destination : blocks.source;
  return source ? placement_of(source, destination, {}).place : kHost;
} catch (error const& failed) {
  throw error(failed.kind(), fmt::format("of rank {}: {}", rank, failed.what()), failed.code());
}

/// The places of all ranks. Throws `error` if some blocks are in host memory and some on GPUs.
std::vector<int> places_of(std::span<rank_memory const> memory) {
  std::vector<int> places;
  for (std::size_t i = 0; i < memory.size(); ++i) places.push_back(place_of(memory[i], std::int64_t(i)));
  auto const is_somewhere = [&](std::size_t i, bool on_host) {
    return (memory[i].source || memory[i].destination) && (places[i] == kHost) == on_host;
  };
  for (std::size_t i = 0; i < memory.size(); ++i)
    for (std::size_t k = 0; k < memory.size(); ++k)
      if (is_somewhere(i, true) && is_somewhere(k, false))
        refuse(fmt::format("the memory of rank {}", i), "host memory", fmt::format("that of a GPU, as that of rank {} is", k));
  return places;
}

}  // namespace

local_plan::local_plan(description const& given) {
  std::vector<rank_plan> plans;
  auto const ranks = checked(given).source.ranks();
  for (std::int64_t rank = 0; rank < ranks; ++rank) plans.emplace_back(given, int(rank));
  ranks_ = std::make_shared<std::vector<rank_plan> const>(std::move(plans));
}

std::span<rank_plan const> local_plan::ranks() const { return *ranks_; }

void local_plan::run(std::span<rank_memory const> given, int threads) const {
  auto const plans = ranks();
  if (given.size() != plans.size()) refuse("the number of ranks", given.size(), fmt::format("{}, as in the plan", plans.size()));
  if (threads < 0) refuse("threads", threads, "0 or more");
  std::vector<rank_memory> memory(given.begin(), given.end());
  std::vector<block_range> blocks;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    auto const append = [&](char const* side, auto*& pointer, std::int64_t bytes, bool is_written) {
      auto const name = fmt::format("{} of rank {}", side, i);
      if (bytes == 0) return pointer = nullptr, void();
      if (!pointer) refuse(name, "null", "not null, as its block is not empty");
      auto const low = reinterpret_cast<std::uintptr_t>(pointer);
      blocks.push_back({low, low + std::uintptr_t(bytes), is_written, name});
    };
    append("source", memory[i].source, plans[i].part().source_bytes, false);
    append("destination", memory[i].destination, plans[i].part().destination_bytes, true);
  }
  refuse_overlaps(std::move(blocks));
  auto const places = places_of(memory);

  std::vector<gpu::device_stream> streams;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (places[i] == kHost) continue;
    gpu::device_stream const each{places[i], memory[i].stream};
    if (std::ranges::find(streams, each) == streams.end()) streams.push_back(each);
    for (auto const& message : plans[i].sends()) {
      auto const peer = std::size_t(message.peer);
      gpu::expect_peer_access(places[i], places[peer], memory[peer].destination, fmt::format("destination of rank {}", peer));
    }
  }
  if (!streams.empty()) gpu::join(streams);
  std::vector<std::vector<void*>> peers(plans.size());
  std::vector<rank_writes> writes;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    for (auto const& message : plans[i].sends()) peers[i].push_back(memory[std::size_t(message.peer)].destination);
    auto const options = places[i] == kHost ? copy_options{.processor = processor_kind::cpu, .threads = threads}
                                            : copy_options{.stream = memory[i].stream, .device = places[i]};
    writes.emplace_back(plans[i].part(), memory[i].source, memory[i].destination, peers[i], options);
  }
  // part by part, so that every GPU starts early
  auto const most = std::ranges::max_element(writes, {}, &rank_writes::parts)->parts();
  for (std::size_t part = 0; part < most; ++part)
    for (auto& each : writes)
      if (part < each.parts()) each.start(part);
  for (auto& each : writes) each.join();
  if (!streams.empty()) gpu::join(streams);
}

void permute(std::span<rank_memory const> ranks, description const& given) { local_plan(given).run(ranks); }

}  // namespace cornerturn::distributed
