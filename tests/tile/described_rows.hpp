#pragma once

#include <cstdint>
#include <cstring>

#include "cornerturn/rows.cuh"
#include "element/convert.hpp"

namespace cornerturn {

/// The rows of e4m3 that wgmma finds by a matrix descriptor, as the PTX ISA defines its fields.
class described_rows {
 public:
  /// `row` is in shared memory, which is aligned to 1024 bytes.
  template <class Mode>
  static described_rows of(void const* row) {
    auto const at = reinterpret_cast<std::uintptr_t>(row), within = at % 1024;
    return {at - within, tile::matrix_descriptor<Mode>(unsigned(within))};
  }
  float at(int row, int k) const {
    auto const field = [&](int bit) { return unsigned(descriptor_ >> bit & 0x3fff) * 16; };
    unsigned const row_bytes = 256U >> (descriptor_ >> 62);  // modes 1, 2 and 3 have 128, 64 and 32 bytes
    unsigned const offset = field(0) + unsigned(row) / 8 * field(32) + unsigned(row) % 8 * row_bytes + unsigned(k);
    element::f8_e4m3fn_bits result;
    std::memcpy(&result, reinterpret_cast<void const*>(memory_ + (offset ^ (offset >> 3 & (row_bytes - 16)))), 1);
    return element::number_of<float>(result);
  }

 private:
  described_rows(std::uintptr_t memory, std::uint64_t descriptor) : memory_(memory), descriptor_(descriptor) {}

  std::uintptr_t memory_;
  std::uint64_t descriptor_;
};

}  // namespace cornerturn
