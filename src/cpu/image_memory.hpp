#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "cpu/sizes.hpp"

namespace cornerturn::cpu {

/// Memory for an image. Each thread keeps the memory of its last call for the next one. A progress function may call the library
/// while the outer call uses that memory; the inner call then allocates its own.
class image_memory {
 public:
  explicit image_memory(std::int64_t bytes) : spare_(spare()), memory_(std::exchange(spare_, {})) {
    auto const count = std::size_t(bytes) / sizeof(cache_line) + 1;
    if (count > memory_.count) memory_ = {std::make_unique_for_overwrite<cache_line[]>(count), count};
  }
  image_memory(image_memory const&) = delete;
  ~image_memory() {
    if (memory_.count > spare_.count) spare_ = std::move(memory_);
  }

  std::byte* first() const { return memory_.lines[0].bytes; }

 private:
  struct allocation {
    std::unique_ptr<cache_line[]> lines;
    std::size_t count = 0;
  };

  static allocation& spare() {
    static thread_local allocation kept;
    return kept;
  }

  allocation& spare_;  ///< the thread's memory, which takes a call to find
  allocation memory_;
};

}  // namespace cornerturn::cpu
