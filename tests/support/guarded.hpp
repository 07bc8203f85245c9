#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <new>

namespace cornerturn::test {

/// Memory with a page before and after it that must not be touched, right beside its first byte or its last.
class guarded {
 public:
  enum class beside { first, last };

  guarded(std::size_t bytes, beside where) {
    auto const page = std::size_t(sysconf(_SC_PAGESIZE)), room = (bytes + page - 1) / page * page;
    mapped_ = room + 2 * page;
    void* const memory = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    base_ = static_cast<std::byte*>(memory);
    if (room && mprotect(base_ + page, room, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    data_ = where == beside::first ? base_ + page : base_ + page + room - bytes;
  }
  ~guarded() { munmap(base_, mapped_); }
  guarded(guarded const&) = delete;
  guarded& operator=(guarded const&) = delete;

  std::byte* data() const { return data_; }

 private:
  std::byte *base_ = nullptr, *data_ = nullptr;
  std::size_t mapped_ = 0;
};

}  // namespace cornerturn::test
