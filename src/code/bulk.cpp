#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "block/sizes.hpp"
#include "code/thread.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kMostBoxExtent = 256, kMostBulkBytes = 1 << 20;
constexpr int kBoxAlign = 128;  // bytes

}  // namespace

/// A copy by TMA: of a box of a tensor, which the arguments name by coordinates, the innermost one first, or of bytes in a row.
/// The destination comes before the source. What follows, such as a barrier, is not evaluated.
code_value code_thread::bulk(code_node const& each, bool is_box) {
  std::vector<std::pair<code_node const*, code_value>> sides;
  std::vector<std::int64_t> numbers;
  std::size_t wanted = 1;
  for (std::size_t i = 1; i < each.parts.size() && (sides.size() < 2 || numbers.size() < wanted); ++i) {
    auto const given = value(*each.part(i));
    if (given.is_pointer() && sides.size() < 2) {
      sides.emplace_back(each.part(i), given);
      if (is_box && array_of(given).space == memory_space::global) wanted = array_of(given).extents.size();
    } else if (!sides.empty()) {
      if (!given.is_integer()) fail_unknown(*each.part(i), given);
      numbers.push_back(given.number);
    }
  }
  auto const is_global = [&](std::size_t side) { return array_of(sides[side].second).space == memory_space::global; };
  if (sides.size() < 2 || is_global(0) == is_global(1))
    fail(each, is_box ? "a tile in shared memory and a tensor in global memory are expected, e.g. tma_load(&tile, &map, x, y)"
                      : "places in shared and in global memory are expected, e.g. cp_async_bulk(&s[0], &in[0], 128)");
  bool const store = is_global(0);
  auto const& [shared_at, shared] = sides[store];
  auto const& [global_at, global] = sides[!store];
  if (array_of(shared).in_registers) fail(*shared_at, fmt::format("{} is not in shared memory", array_of(shared).name));
  if (is_box && wanted == 0)
    fail(*global_at, fmt::format("the extents of {0} are not known; declare the tensor as an array, e.g. "
                                 "__device__ float {0}[1024][1024]",
                                 array_of(global).name));
  if (numbers.size() != wanted)
    fail(each, is_box ? fmt::format("{} has {} coordinates", array_of(global).name, wanted) : "a number of bytes is expected");
  if (until_dim3_) return code_value::unknown(each);

  code_memory::access copied{.node = &each, .array = global.array, .store = store, .box = true};
  if (is_box) {
    copy_box(copied, *shared_at, shared, *global_at, global, numbers);
  } else {
    copied.address = address(*global_at, global), copied.smem_address = address(*shared_at, shared);
    copied.smem_granule = store ? 0 : kLineBytes;
    copied.bytes = int(std::clamp<std::int64_t>(numbers[0], 0, kMostBulkBytes));
    if (numbers[0] != copied.bytes || copied.bytes == 0)
      fail(each, fmt::format("a copy of {} bytes; it must have 16 to {}", numbers[0], kMostBulkBytes));
    if ((copied.address | copied.smem_address | std::uint64_t(copied.bytes)) % kUnitBytes)
      fail(each, "both places and the number of bytes of a bulk copy must be multiples of 16");
    memory_->add(copied, number_, iterations_);
  }
  memory_->copied_by_tma(shared.array, is_box ? tma_copies::boxes : tma_copies::bytes);
  return code_value::unknown(each);
}

/// Adds the rows of a box that are within the tensor. The box has the last extents of the tile.
void code_thread::copy_box(code_memory::access row, code_node const& tile_at, code_value const& tile, code_node const& tensor_at,
                           code_value const& tensor, std::vector<std::int64_t> const& coordinates) {
  auto const& [to, of] = std::pair<code_array const&, code_array const&>(array_of(tile), array_of(tensor));
  auto const rank = of.extents.size();
  if (to.extents.size() < rank)
    fail(tile_at, fmt::format("{} has {} extents; a box of {} has {}", to.name, to.extents.size(), of.name, rank));
  std::vector<std::int64_t> const box(to.extents.end() - std::ptrdiff_t(rank), to.extents.end());
  int const bits = of.of.bits;
  if (to.of.bits != bits) fail(tile_at, fmt::format("the elements of {} and {} differ in size", to.name, of.name));
  for (auto const extent : box)
    if (extent < 1 || extent > kMostBoxExtent)
      fail(tile_at, fmt::format("an extent of {} of a box; it must be 1 to {}", extent, kMostBoxExtent));
  for (auto const& [node, extent] : {std::pair(&tile_at, box.back()), {&tensor_at, of.extents.back()}})
    if ((rank > 1 || node == &tile_at) && extent * bits % (kUnitBytes * 8))
      fail(*node, fmt::format("rows of {} bits; TMA moves rows of multiples of 16 bytes", extent * bits));
  if (address(tile_at, tile) % kBoxAlign) fail(tile_at, "a box begins at a multiple of 128 bytes of shared memory");

  std::int64_t rows = 1;
  for (std::size_t mode = 0; mode + 1 < rank; ++mode) rows *= box[mode];
  auto const first = std::max<std::int64_t>(0, coordinates[0]);
  auto const end = std::min(of.extents.back(), coordinates[0] + box.back());
  for (std::int64_t number = 0; number < rows && first < end; ++number) {
    std::int64_t rest = number, element = first, stride = of.extents.back();
    bool inside = true;
    for (auto mode = rank - 1; mode-- > 0; rest /= box[mode], stride *= of.extents[mode]) {
      auto const at = coordinates[rank - 1 - mode] + rest % box[mode];
      inside = inside && at >= 0 && at < of.extents[mode];
      element += at * stride;
    }
    if (!inside) continue;
    row.address = of.base + std::uint64_t(element * bits / 8);
    row.bytes = int((end - first) * bits / 8);
    memory_->add(row, number_, iterations_);
  }
}

}  // namespace cornerturn
