#include "cpu/tiles/side.hpp"

#include <algorithm>

#include "base/planning_work.hpp"
#include "base/round.hpp"
#include "cpu/sizes.hpp"

namespace cornerturn {
namespace {

/// The length of the pieces of an extent: about `size`, such that no piece is much shorter than the others. Pieces longer than
/// `step` are multiples of `step`; the last piece may be any length from `least` on, or shorter if pieces would be twice `size`.
std::int64_t piece_of(std::int64_t extent, std::int64_t size, std::int64_t step, std::int64_t least) {
  if (extent <= size + size / 4) return extent;
  auto const even = ceil_div(extent, ceil_div(extent, size));
  if (even <= step) return even;
  auto const usual = round_up(even, step);
  for (auto piece = usual; piece < std::min(extent, 2 * size); piece += step)
    if (auto const last = extent % piece; last == 0 || last >= least) return piece;
  return usual;
}

}  // namespace

std::vector<std::int64_t> offsets_of(std::vector<byte_mode> const& modes, std::int64_t byte_mode::*stride) {
  std::ptrdiff_t total = 1, count = 1;
  for (byte_mode const& m : modes) total *= m.extent;
  work_of_planning.offsets += total;
  std::vector<std::int64_t> result(std::size_t(total), 0);
  auto const begin = result.begin();
  for (byte_mode const& m : modes) {
    auto const before = count, end = count * m.extent;
    // each step doubles the table, so that even a table of one mode is made by long loops
    for (std::ptrdiff_t added; count < end; count += added) {
      added = std::min(count, end - count);
      auto const further = count / before * m.*stride;
      std::transform(begin, begin + added, begin + count, [&](std::int64_t offset) { return offset + further; });
    }
  }
  return result;
}

bool is_progression(std::vector<byte_mode> const& modes, std::int64_t byte_mode::*stride, std::int64_t step) {
  bool past = false;  // true if `step` exceeds 64 bits, and so differs from all strides
  for (byte_mode const& m : modes) {
    if (m.extent > 1 && (past || m.*stride != step)) return false;
    past |= __builtin_mul_overflow(step, m.extent, &step);
  }
  return true;
}

std::int64_t even_step(std::vector<byte_mode> const& modes, std::int64_t byte_mode::*stride) {
  auto const step = modes.empty() ? 0 : modes.front().*stride;
  return is_progression(modes, stride, step) ? step : 0;
}

cpu_side::cpu_side(std::vector<byte_mode>& left, std::int64_t byte_mode::*along, std::int64_t first)
    : left_(left), along_(along), next_(first) {
  auto const found = find(next_);
  if (found != left_.end()) first_ = found->destination;
}

void cpu_side::bar(cpu_side const& other, bool for_lines) {
  barred_ = {other.first_};
  auto const own = find(next_);
  if (!for_lines || own == left_.end() || own->extent * next_ < kCacheLine) return;
  auto next = other.next_;
  for (auto m = other.find(next); m != left_.end() && next < kCacheLine && m->destination != first_; m = other.find(next)) {
    barred_.push_back(m->destination);
    next *= m->extent;
  }
}

std::int64_t cpu_side::available(cpu_side const& other) const {
  std::int64_t count = 1, next = next_;
  for (auto m = find(next); m != left_.end() && m->destination != other.first_; m = find(next)) {
    count *= m->extent;
    next *= m->extent;
  }
  return count;
}

bool cpu_side::ends_at(cpu_side const& other, std::vector<byte_mode> const& all) const {
  auto const next = std::ranges::find(all, next_, along_);
  return !is_cut() && next != all.end() && other.starts() && next->destination == other.first_;
}

void cpu_side::take(std::int64_t most, std::int64_t step, std::int64_t enough, std::int64_t least) {
  while (most / count_ > 1 && next_ < enough && !is_cut()) {
    if (shared_) pass();
    auto const found = find(next_);
    if (found == left_.end() || std::ranges::find(barred_, found->destination) != barred_.end()) return;
    auto const m = *found;
    left_.erase(found);
    next_ *= m.extent;
    bool const is_first = count_ == 1;
    auto const piece = piece_of(m.extent, most / count_, is_first ? step : 1, is_first ? least : 1);
    taken_.push_back({piece, m.source, m.destination});
    if (piece < m.extent) {
      cut_ = tile_loop{ceil_div(m.extent, piece), piece * m.source, piece * m.destination};
      last_ = count_ * (m.extent - (cut_.count - 1) * piece);
    }
    count_ *= piece;
  }
}

std::vector<byte_mode>::iterator cpu_side::find(std::int64_t stride) const {
  return std::ranges::find_if(left_, [&](byte_mode const& m) { return m.*along_ == stride; });
}

void cpu_side::pass() {
  for (auto m = shared_->taken_.begin(); m != shared_->taken_.end();) {
    bool const cut = shared_->is_cut() && m + 1 == shared_->taken_.end();
    if (*m.*along_ == next_ && !cut)
      next_ *= m->extent, m = shared_->taken_.begin();
    else
      ++m;
  }
}

}  // namespace cornerturn
