#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace cornerturn {

/// The ladder's kernels, naive to fast.
enum class rung {
  copy,
  naive_read,
  naive_write,
  smem_conflict_read,
  smem_conflict_write,
  smem_padded,
  smem_swizzled,
  vec_conflict_read,
  vec_padded,
  vec_swizzled,
  vec_both,
};

struct rung_info {
  rung id;
  std::string_view name, idea;
};

inline constexpr std::array kRungs{
    rung_info{rung::copy, "copy", "the ceiling: the same bytes between the same buffers, straight"},
    rung_info{rung::naive_read, "naive-read", "one element a thread: coalesced reads, scattered writes"},
    rung_info{rung::naive_write, "naive-write", "one element a thread: scattered reads, coalesced writes"},
    rung_info{rung::smem_conflict_read, "smem-conflict-read", "through shared memory: both sides coalesce, its loads conflict"},
    rung_info{rung::smem_conflict_write, "smem-conflict-write",
              "through shared memory: both sides coalesce, its stores conflict"},
    rung_info{rung::smem_padded, "smem-padded", "rows of shared memory one bank longer: no conflicts"},
    rung_info{rung::smem_swizzled, "smem-swizzled", "columns XORed with rows: no conflicts and no padding"},
    rung_info{rung::vec_conflict_read, "vec-conflict-read", "16-byte vectors on one global side, conflicting loads"},
    rung_info{rung::vec_padded, "vec-padded", "16-byte vectors on one global side, padded"},
    rung_info{rung::vec_swizzled, "vec-swizzled", "16-byte vectors on one global side, swizzled"},
    rung_info{rung::vec_both, "vec-both", "16-byte vectors on both sides, transposed in registers, destination rows first"},
};

constexpr std::string_view name_of(rung id) { return kRungs[std::size_t(id)].name; }

constexpr std::optional<rung> rung_named(std::string_view name) {
  for (auto const& each : kRungs)
    if (each.name == name) return each.id;
  return std::nullopt;
}

constexpr bool is_vector_rung(rung id) { return id >= rung::vec_conflict_read || id == rung::copy; }

/// Elements moved by one global access on each side.
struct access_widths {
  int source = 1, destination = 1;
  bool operator==(access_widths const&) const = default;
};

constexpr int vector_length(int element_size) { return 16 / element_size; }

/// The part of the source that one block moves, with how many threads, and how many such blocks a multiprocessor should hold.
struct tile_shape {
  int rows = 0, cols = 0, threads = 0, blocks = 1;
  bool operator==(tile_shape const&) const = default;
};

/// The tile of `vec-both`: the best found on an H200 for each element size and access widths (docs/performance.md).
constexpr tile_shape vec_both_tile(int element_size, access_widths widths) {
  bool const read = widths.source > 1, write = widths.destination > 1, both = read && write, neither = !read && !write;
  switch (element_size) {
    case 1:
      return both ? tile_shape{256, 256, 256, 2} : read ? tile_shape{256, 128, 128, 2} : tile_shape{128, 32, 64, 12};
    case 2:
      return both ? tile_shape{128, 128, 256} : read ? tile_shape{256, 64, 256} : tile_shape{128, 32, 128};
    case 4:
      return write ? tile_shape{64, 64, 256} : tile_shape{128, 64, 256};
    case 8:
      return neither ? tile_shape{128, 32, 256} : tile_shape{32, 32, 256};
    default:
      return {32, 16, 256};
  }
}

/// The tile of a rung for an element size in bytes (1, 2, 4, 8, 16) and its access widths.
constexpr tile_shape tile_of(rung id, int element_size, access_widths widths) {
  switch (id) {
    case rung::copy:
      return {1, 128 * widths.source, 128};
    case rung::naive_read:
      return {32, 32, 1024};
    case rung::naive_write:
      return {32, 4, 128};
    case rung::vec_both:
      return vec_both_tile(element_size, widths);
    default: {
      int const side = element_size == 1 ? 128 : element_size <= 4 ? 64 : 32;
      bool const bytes_alone = element_size == 1 && widths == access_widths{};  // 64 of them a thread would spill
      return {side, side, bytes_alone ? 512 : 256};
    }
  }
}

}  // namespace cornerturn
