#pragma once

#include <cstdint>
#include <cstring>
#include <source_location>

#include "block/host.hpp"

namespace cornerturn {

/// A block on the host with the instructions that transpose matrices of a warp, which `cornerturn/exchange.cuh` describes. Every
/// thread of the block takes part. A recording has ldmatrix as loads of 16 bytes.
class host_warp : public host_block {
 public:
  using host_block::host_block;

  void ldmatrix_x4_trans(void const* row, std::uint32_t (&matrices)[4],
                         std::source_location const& at = std::source_location::current()) {
    std::uint16_t elements[8];
    shared_load<8>(static_cast<std::uint16_t const*>(row), elements, true, at);
    note_matrix_row();
    for (auto& each : matrices) each = 0;
    for_lanes(elements, [&](int from, std::uint16_t const(&others)[8]) {
      int const lane = thread() % kWarp, other_row = from % 8;
      if (other_row / 2 == lane % 4) matrices[from / 8] |= std::uint32_t(others[lane / 4]) << other_row % 2 * 16;
    });
  }

  std::uint32_t movmatrix(std::uint32_t elements) {
    std::uint32_t const given[] = {elements};
    std::uint32_t result = 0;
    for_lanes(given, [&](int from, std::uint32_t const(&other)[1]) {
      int const lane = thread() % kWarp, other_row = from / 4;
      if (other_row / 2 == lane % 4 && from % 4 == lane / 8)
        result |= (other[0] >> lane / 4 % 2 * 16 & 0xffff) << other_row % 2 * 16;
    });
    return result;
  }

 private:
  /// Calls visit(lane, its values) with all lanes of the warp.
  template <int Count, class Value, class Visit>
  void for_lanes(Value const (&values)[Count], Visit const& visit) {
    for (int mask = 0; mask < kWarp; ++mask) {
      Value others[Count];
      std::memcpy(others, values, sizeof(others));
      shfl_xor(others, mask);
      visit(thread() % kWarp ^ mask, others);
    }
  }
};

}  // namespace cornerturn
