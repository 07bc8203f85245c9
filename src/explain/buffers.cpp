#include "explain/buffers.hpp"

#include <algorithm>
#include <bit>

#include "base/refuse.hpp"

namespace cornerturn {
namespace {

void expect_align(std::string_view name, int align, int element_size) {
  if (align >= std::max(1, element_size) && align <= kBufferAlign && std::has_single_bit(unsigned(align))) return;
  auto const least = element_size ? fmt::format("the element size, {},", element_size) : "1";
  refuse(name, align, fmt::format("a power of two from {} to {}", least, kBufferAlign));
}

}  // namespace

void expect_aligns(int source, int destination, int element_size) {
  expect_align("source_align", source, element_size);
  expect_align("destination_align", destination, element_size);
}

}  // namespace cornerturn
