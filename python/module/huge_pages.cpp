#include "huge_pages.hpp"

#include <sys/mman.h>

namespace cornerturn::python {
namespace {

constexpr std::uintptr_t kHugePage = 2 << 20;

std::uintptr_t first_huge_page(void const* data) { return (reinterpret_cast<std::uintptr_t>(data) + kHugePage - 1) & -kHugePage; }

}  // namespace

void ask_for_huge_pages(void const* data, std::uint64_t bytes) {
  if (bytes < 2 * kHugePage) return;
  auto const first = first_huge_page(data), end = (reinterpret_cast<std::uintptr_t>(data) + bytes) & -kHugePage;
  ::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

void ask_for_huge_pages_if_new(void const* data, std::uint64_t bytes) {
  if (bytes < 2 * kHugePage) return;
  unsigned char has_memory = 1;
  if (::mincore(reinterpret_cast<void*>(first_huge_page(data)), 1, &has_memory) == 0 && !(has_memory & 1))
    ask_for_huge_pages(data, bytes);
}

}  // namespace cornerturn::python
