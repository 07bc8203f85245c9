#include "code/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "block/sizes.hpp"
#include "code/place.hpp"
#include "explain/buffers.hpp"
#include "layout/notation.hpp"
#include "layout/triton.hpp"

namespace cornerturn {
namespace {

constexpr std::uint64_t kBetweenBuffers = std::uint64_t(1) << 44;    // bytes between the buffers of global memory
constexpr std::int64_t kMostArrayElements = 1 << 20;                 // of an array in shared memory or registers
constexpr std::int64_t kMostGlobalElements = std::int64_t(1) << 40;  // of a declared array in global memory

}  // namespace

std::size_t code_memory::declare(code_node const& node, std::vector<std::int64_t> extents) {
  if (auto const known = known_arrays_.find(&node); known != known_arrays_.end()) return known->second;
  auto const refuse = [&](std::string_view problem) { refuse_at(code_.argument, code_.code, node.begin, problem); };
  code_array made{.name = std::string(node.text), .type = std::string(node.type_text), .of = node.of};
  bool const is_pointer = node.type == code_node::kind::pointer;
  made.space = is_pointer || node.is_global ? memory_space::global : memory_space::shared;
  made.in_registers = !is_pointer && !node.is_shared && !node.is_global && code_.has_shared;
  if (!node.layout.empty()) {
    auto const text = on_one_line(node.layout);
    made.layout =
        is_triton(text) ? parse_triton_tile(code_.argument, text, node.of.bits / 8).layout : parse_layout(code_.argument, text);
    made.has_notation = true;
    extents = made.layout->extents();
    if (made.layout->offsets().low < 0) refuse("a layout whose offsets are negative");
  }
  auto const most = made.space == memory_space::global ? kMostGlobalElements : kMostArrayElements;
  std::int64_t elements = 1;
  for (auto const extent : extents) {
    if (extent > 0 && elements > most / extent) refuse(fmt::format("an array of more than {} elements", most));
    elements *= extent;
  }
  if (!made.layout && made.space == memory_space::shared && elements > 0 && !extents.empty())
    made.layout = layout_expression({row_major(extents)});
  made.extents = std::move(extents);
  if (made.space == memory_space::global) {
    int const least = align_of(node.of) / 8;
    if (is_pointer && node.align == kUnknownAlign) refuse("an alignment that is no number; write its bytes, e.g. alignas(16)");
    if (is_pointer && node.align != 0) {
      if (node.align < least || node.align > kBufferAlign || !std::has_single_bit(std::uint64_t(node.align)))
        refuse(fmt::format("an alignment of {}; it must be a power of two from {} to {}", node.align, least, kBufferAlign));
      made.lead = int(node.align) % kBufferAlign;
    }
    made.base = kBetweenBuffers * (arrays_.size() + 1) + std::uint64_t(made.lead);
  } else if (!made.in_registers) {
    made.base = shared_end_;
    auto const bytes = std::uint64_t(made.layout ? made.layout->cosize() : 0) * std::uint64_t(node.of.bits) / 8;
    shared_end_ += (bytes + kLineBytes) / kLineBytes * kLineBytes;
  }
  known_arrays_[&node] = arrays_.size();
  arrays_.push_back(std::move(made));
  return arrays_.size() - 1;
}

void code_memory::copied_by_tma(std::size_t array, tma_copies copies) { arrays_[array].copies = copies; }

void code_memory::add(access const& each, int thread, std::vector<int> const& iterations) {
  if (++count_ > kMostAccesses)
    refuse_at(code_.argument, code_.code, each.node->begin,
              fmt::format("the threads make more than {} accesses until here; shorten a loop", kMostAccesses));
  int const shared = arrays_[each.array].space == memory_space::shared;
  auto const [known, is_new] =
      known_sites_.try_emplace({each.node, 4 * each.store + 2 * each.async + shared}, int(sites_.size()));
  if (is_new) sites_.push_back({each.node->begin, each.node->end, each.array, each.store, each.async});
  accesses_[{known->second, iterations}].push_back({thread, each});
}

void code_memory::finish(code_run& into) {
  int const threads = into.threads();
  int before = -1, occurrence = 0;
  for (auto& [key, lanes] : accesses_) {
    auto const& site = sites_[std::size_t(key.first)];
    auto const space = arrays_[site.array].space;
    occurrence = key.first == before ? occurrence + 1 : 0;
    before = key.first;
    std::ranges::stable_sort(lanes, {}, &lane::thread);
    auto const append = [&](int thread, bool active, access const& made) {
      into.record.accesses.push_back({.thread = thread,
                                      .place = {{}, key.first + 1},
                                      .occurrence = occurrence,
                                      .space = space,
                                      .store = site.store,
                                      .active = active,
                                      .address = made.address,
                                      .bytes = made.bytes,
                                      .block = 0,
                                      .box = made.box,
                                      .async = site.async,
                                      .smem_address = made.smem_address,
                                      .smem_granule = made.smem_granule,
                                      .source_address = made.source_address,
                                      .matrix_row = made.matrix_row});
    };
    if (lanes.front().made.box) {
      for (auto const& row : lanes) append(row.thread, true, row.made);
      continue;
    }
    std::size_t next = 0;
    for (int first = 0; first < threads && next < lanes.size(); first += kWarp) {
      if (lanes[next].thread >= first + kWarp) continue;  // no lane of this warp is active
      for (int thread = first; thread < std::min(first + kWarp, threads); ++thread) {
        bool const active = next < lanes.size() && lanes[next].thread == thread;
        access const none{.node = nullptr, .array = 0, .bytes = lanes.front().made.bytes};
        auto const& made = active ? lanes[next].made : none;
        next += active;
        append(thread, active, made);
      }
    }
  }
  into.arrays = std::move(arrays_);
  into.sites = std::move(sites_);
}

}  // namespace cornerturn
