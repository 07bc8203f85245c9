#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

namespace cornerturn::fuzz {

/// Where an array lies in an arena: beside the inaccessible page before it or after it, and how far into a cache line it begins.
struct placement {
  bool at_end = false;
  std::size_t into_line = 0;  ///< bytes
};

/// Memory for one array after another, between two pages that must not be touched.
class arena {
 public:
  static constexpr std::size_t kLine = 64, kMargin = 256;
  static constexpr std::byte kFilled{0xEE};

  explicit arena(std::size_t most_bytes) {
    auto const page = std::size_t(sysconf(_SC_PAGESIZE));
    room_ = (most_bytes + 2 * kMargin + page - 1) / page * page;
    mapped_ = room_ + 2 * page;
    void* const memory = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(static_cast<std::byte*>(memory) + page, room_, PROT_READ | PROT_WRITE) != 0)
      throw std::bad_alloc();
    mapping_ = static_cast<std::byte*>(memory), first_ = mapping_ + page;
  }
  ~arena() { munmap(mapping_, mapped_); }
  arena(arena const&) = delete;
  arena& operator=(arena const&) = delete;

  /// Places an array, whose old bytes are unspecified, and fills `kMargin` bytes on either side of it, as far as there are any.
  std::span<std::byte> place(std::size_t bytes, placement const& at) {
    if (bytes + kLine > room_) throw std::bad_alloc();
    auto const last = room_ - bytes, before = at.at_end ? last - (last + kLine - at.into_line) % kLine : at.into_line;
    auto* const data = first_ + before;
    before_ = {data - std::min(before, kMargin), data};
    after_ = {data + bytes, std::min(kMargin, room_ - before - bytes)};
    std::ranges::fill(before_, kFilled), std::ranges::fill(after_, kFilled);
    return {data, bytes};
  }

  /// False if a byte within the margin of the last array, before or after it, was written.
  bool is_whole() const {
    auto const is_filled = [](std::byte each) { return each == kFilled; };
    return std::ranges::all_of(before_, is_filled) && std::ranges::all_of(after_, is_filled);
  }

 private:
  std::byte *mapping_ = nullptr, *first_ = nullptr;
  std::size_t mapped_ = 0, room_ = 0;
  std::span<std::byte> before_, after_;
};

}  // namespace cornerturn::fuzz
