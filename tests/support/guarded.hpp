#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <random>
#include <span>

namespace cornerturn::test {

/// Memory between two pages that must not be touched, as near to one of them as its address allows.
class guarded {
 public:
  enum class beside { first, last };
  static constexpr std::size_t kLine = 64;  ///< bytes of a cache line

  /// Memory whose first or last byte is beside a page.
  guarded(std::size_t bytes, beside where)
      : guarded(bytes, where, where == beside::first ? 0 : (kLine - bytes % kLine) % kLine) {}

  /// Memory that begins `into_line` bytes after the beginning of a cache line. Up to 63 bytes between it and the page are filled;
  /// `is_whole` says whether they still are.
  guarded(std::size_t bytes, beside where, std::size_t into_line) : bytes_(bytes) {
    auto const page = std::size_t(sysconf(_SC_PAGESIZE)), room = (bytes + into_line + page - 1) / page * page;
    mapped_ = room + 2 * page;
    void* const memory = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    base_ = static_cast<std::byte*>(memory);
    if (room && mprotect(base_ + page, room, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    auto const last = room - bytes, before = where == beside::first ? into_line : last - (last - into_line) % kLine;
    data_ = base_ + page + before;
    before_ = {data_ - std::min(before, kLine), data_};
    after_ = {data_ + bytes, std::min(kLine, room - before - bytes)};
    std::ranges::fill(before_, kFilled), std::ranges::fill(after_, kFilled);
  }
  /// A copy of `content` beside either page, at an address that is drawn among the multiples of `alignment`.
  guarded(std::span<std::byte const> content, std::mt19937& draw, std::size_t alignment = 1)
      : guarded(content.size(), draw() % 2 ? beside::first : beside::last, draw() % (kLine / alignment) * alignment) {
    std::ranges::copy(content, data_);
  }
  ~guarded() { munmap(base_, mapped_); }
  guarded(guarded const&) = delete;
  guarded& operator=(guarded const&) = delete;

  std::byte* data() const { return data_; }
  std::span<std::byte> bytes() const { return {data_, bytes_}; }

  /// True if the memory has these bytes, and no byte near it was written.
  bool holds(std::span<std::byte const> wanted) const { return is_whole() && std::ranges::equal(bytes(), wanted); }

  /// False if a byte near the memory, before or after it, was written.
  bool is_whole() const {
    auto const is_filled = [](std::byte each) { return each == kFilled; };
    return std::ranges::all_of(before_, is_filled) && std::ranges::all_of(after_, is_filled);
  }

 private:
  static constexpr std::byte kFilled{0xC3};

  std::size_t bytes_, mapped_ = 0;
  std::byte *base_ = nullptr, *data_ = nullptr;
  std::span<std::byte> before_, after_;  ///< up to a cache line on either side
};

}  // namespace cornerturn::test
