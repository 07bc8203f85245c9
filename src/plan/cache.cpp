#include "plan/cache.hpp"

#include <algorithm>

namespace cornerturn {
namespace {

/// The approximate memory of a plan in bytes, including the tables of a CPU plan, which may be long.
std::size_t bytes_of(prepared_plan const& plan) {
  std::size_t bytes = sizeof(prepared_plan);
  auto const add = [&](auto const& table) { bytes += table.size() * sizeof(table[0]); };
  auto const add_tables = [&](cpu_plan const& each) {
    auto const& tables = each.tables;
    add(tables.batch_source), add(tables.row_source), add(tables.column_source), add(tables.run_source),
        add(tables.column_destination), add(each.loops);
    add(each.shuffle.groups), add(each.shuffle.lines), add(each.shuffle.blocks);
    for (auto const& block : each.shuffle.blocks) add(block.pieces);
  };
  auto const add_boxes = [&](cpu_limited const& each) {
    add(each.pad);
    for (auto const* const boxes : {&each.copied, &each.padded}) {
      add(*boxes);
      for (auto const& box : *boxes) add_tables(box);
    }
  };
  add(plan.chosen.steps);
  for (auto const& step : plan.chosen.steps) {
    if (auto const* const on_cpu = std::get_if<cpu_plan>(&step.kernel)) add_tables(*on_cpu);
    if (auto const* const swizzled = std::get_if<cpu_swizzled>(&step.kernel)) {
      add(swizzled->loops);
      for (auto const& kind : swizzled->kinds) bytes += sizeof(kind), add_boxes(kind.boxes);
    }
    if (auto const* const limited = std::get_if<cpu_limited>(&step.kernel)) add_boxes(*limited);
  }
  return bytes;
}

}  // namespace

bool plan_cache::equal::operator()(key_view left, key_view right) const { return std::ranges::equal(left, right); }

plan_cache::plan plan_cache::find(key_view key) {
  std::lock_guard const lock(mutex_);
  auto const found = places_.find(key);
  if (found == places_.end()) {
    ++misses_;
    return nullptr;
  }
  ++hits_;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->value;
}

void plan_cache::insert(key_view key, plan value) {
  std::lock_guard const lock(mutex_);
  if (places_.contains(key)) return;
  auto const bytes = bytes_of(*value);
  entries_.push_front({{key.begin(), key.end()}, std::move(value), bytes});
  places_.emplace(entries_.front().key, entries_.begin());
  for (bytes_ += bytes; entries_.size() > capacity_ || (bytes_ > most_bytes_ && entries_.size() > 1);) {
    bytes_ -= entries_.back().bytes;
    places_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

cache_counters plan_cache::counters() const {
  std::lock_guard const lock(mutex_);
  return {hits_, misses_, entries_.size(), capacity_};
}

void plan_cache::clear() {
  std::lock_guard const lock(mutex_);
  places_.clear();
  entries_.clear();
  bytes_ = 0;
  hits_ = misses_ = 0;
}

}  // namespace cornerturn
