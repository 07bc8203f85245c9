#include "engine/cpu/cpu.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <span>

namespace cornerturn::cpu {
namespace {

// A tile is staged in half of a small L1 cache; the lines being read and written need the other half.
constexpr std::int64_t kStageBytes = 16 << 10;
// A run of a whole cache line wastes nothing when it is copied by itself.
constexpr std::int64_t kLineBytes = 64;
constexpr std::int64_t kProgressBytes = 16 << 20;

/// A mode with its strides in bytes.
struct byte_mode {
  std::int64_t extent, source, destination;
};

/// What is left of a problem when the run of bytes that both sides share is taken out of it.
struct work {
  std::vector<byte_mode> modes;  ///< slowest in the destination first
  std::int64_t run = 0;          ///< bytes
  std::int64_t total = 0;        ///< bytes
};

work work_of(problem const& p) {
  work w{.modes = {}, .run = p.element_size, .total = p.element_size};
  for (mode const& m : p.modes) {
    w.modes.push_back({m.extent, m.source_stride * p.element_size, m.destination_stride * p.element_size});
    w.total *= m.extent;
  }
  if (!w.modes.empty() && w.modes.back().source == w.run && w.modes.back().destination == w.run) {
    w.run *= w.modes.back().extent;
    w.modes.pop_back();
  }
  return w;
}

/// Counts bytes and passes their share on.
class teller {
 public:
  teller(std::int64_t total, std::function<void(double)> const& progress) : total_(total), progress_(progress) {}

  void moved(std::int64_t bytes) {
    done_ += bytes;
    if (done_ - told_ < kProgressBytes || !progress_) return;
    told_ = done_;
    progress_(static_cast<double>(done_) / static_cast<double>(total_));
  }

 private:
  std::int64_t total_, done_ = 0, told_ = 0;
  std::function<void(double)> const& progress_;
};

/// Calls body(source, destination) at every index of `modes`, the last one fastest.
template <class Body>
void for_each_index(std::span<byte_mode const> modes, std::byte const* source, std::byte* destination, Body const& body) {
  std::vector<std::int64_t> index(modes.size(), 0);
  for (;;) {
    body(source, destination);
    std::size_t k = modes.size();
    for (; k > 0; --k) {
      byte_mode const& m = modes[k - 1];
      source += m.source;
      destination += m.destination;
      if (++index[k - 1] < m.extent) break;
      source -= m.extent * m.source;
      destination -= m.extent * m.destination;
      index[k - 1] = 0;
    }
    if (k == 0) return;
  }
}

void copy_runs(work const& w, std::byte const* source, std::byte* destination, teller& tell) {
  for_each_index(w.modes, source, destination, [&](std::byte const* from, std::byte* to) {
    for (std::int64_t at = 0; at < w.run; at += kProgressBytes) {
      std::int64_t const bytes = std::min(kProgressBytes, w.run - at);
      std::memcpy(to + at, from + at, bytes);
      tell.moved(bytes);
    }
  });
}

/// Bytes moved together: a size known to the compiler turns each memcpy into one load or store.
template <std::int64_t kBytes>
struct fixed_unit {
  static constexpr std::int64_t bytes = kBytes;
};
struct any_unit {
  std::int64_t bytes;
};

template <class Unit>
void move_row(Unit unit, byte_mode const& m, std::byte const* from, std::byte* to) {
  for (std::int64_t i = 0; i < m.extent; ++i) std::memcpy(to + i * m.destination, from + i * m.source, unit.bytes);
}

/// Moves a tile by way of `stage`, so that each side is walked along the mode in which it is dense: the lines of a power-of-two
/// pitch share a cache set, and none of them would survive until its next element is due.
template <class Unit>
void move_tile(Unit unit, byte_mode const& across, byte_mode const& along, std::byte const* source, std::byte* destination,
               std::byte* stage) {
  std::int64_t const row = along.extent * unit.bytes;
  for (std::int64_t i = 0; i < across.extent; ++i) {
    if (along.source == unit.bytes) {
      std::memcpy(stage + i * row, source + i * across.source, row);
    } else {
      move_row(unit, {along.extent, along.source, unit.bytes}, source + i * across.source, stage + i * row);
    }
  }
  for (std::int64_t j = 0; j < along.extent; ++j) {
    std::byte* const to = destination + j * along.destination;
    if (across.destination == unit.bytes) {  // the same call, but with a stride that the compiler knows
      move_row(unit, {across.extent, row, unit.bytes}, stage + j * unit.bytes, to);
    } else {
      move_row(unit, {across.extent, row, across.destination}, stage + j * unit.bytes, to);
    }
  }
}

/// `across` has the smallest destination stride, `along` the smallest source stride.
template <class Unit>
void move_tiles(Unit unit, std::span<byte_mode const> outer, byte_mode const& across, byte_mode const& along,
                std::byte const* source, std::byte* destination, teller& tell) {
  alignas(kLineBytes) std::array<std::byte, kStageBytes> stage;
  std::int64_t const capacity = kStageBytes / unit.bytes;
  std::int64_t side = 1;
  while (4 * side * side <= capacity) side *= 2;
  // Where one mode is short, the other gets its room.
  std::int64_t const tile_across = std::min(across.extent, std::max(side, capacity / along.extent));
  std::int64_t const tile_along = std::min(along.extent, capacity / tile_across);

  for_each_index(outer, source, destination, [&](std::byte const* from, std::byte* to) {
    for (std::int64_t j = 0; j < along.extent; j += tile_along) {
      for (std::int64_t i = 0; i < across.extent; i += tile_across) {
        byte_mode tile_i = across, tile_j = along;
        tile_i.extent = std::min(tile_across, across.extent - i);
        tile_j.extent = std::min(tile_along, along.extent - j);
        move_tile(unit, tile_i, tile_j, from + i * across.source + j * along.source,
                  to + i * across.destination + j * along.destination, stage.data());
        tell.moved(tile_i.extent * tile_j.extent * unit.bytes);
      }
    }
  });
}

/// Blocks over the two modes that are densest on either side; where that is one mode, its rows are moved as they are.
template <class Unit>
void move_units(Unit unit, work w, std::byte const* source, std::byte* destination, teller& tell) {
  byte_mode const across = w.modes.back();
  w.modes.pop_back();
  auto const along = std::ranges::min_element(w.modes, {}, [](byte_mode const& m) { return std::abs(m.source); });
  if (along != w.modes.end() && std::abs(along->source) < std::abs(across.source)) {
    byte_mode const chosen = *along;
    w.modes.erase(along);
    move_tiles(unit, w.modes, across, chosen, source, destination, tell);
  } else {
    for_each_index(w.modes, source, destination, [&](std::byte const* from, std::byte* to) {
      move_row(unit, across, from, to);
      tell.moved(across.extent * unit.bytes);
    });
  }
}

}  // namespace

void permute(problem const& canonical, void const* source, void* destination, std::function<void(double)> const& progress) {
  work const w = work_of(canonical);
  if (w.total == 0) return;
  auto const* from = static_cast<std::byte const*>(source) + canonical.source_offset * canonical.element_size;
  auto* to = static_cast<std::byte*>(destination) + canonical.destination_offset * canonical.element_size;
  teller tell(w.total, progress);

  if (w.modes.empty() || w.run >= kLineBytes) return copy_runs(w, from, to, tell);
  switch (w.run) {
    case 1:
      return move_units(fixed_unit<1>{}, w, from, to, tell);
    case 2:
      return move_units(fixed_unit<2>{}, w, from, to, tell);
    case 3:
      return move_units(fixed_unit<3>{}, w, from, to, tell);
    case 4:
      return move_units(fixed_unit<4>{}, w, from, to, tell);
    case 6:
      return move_units(fixed_unit<6>{}, w, from, to, tell);
    case 8:
      return move_units(fixed_unit<8>{}, w, from, to, tell);
    case 12:
      return move_units(fixed_unit<12>{}, w, from, to, tell);
    case 16:
      return move_units(fixed_unit<16>{}, w, from, to, tell);
    default:
      return move_units(any_unit{w.run}, w, from, to, tell);
  }
}

}  // namespace cornerturn::cpu
