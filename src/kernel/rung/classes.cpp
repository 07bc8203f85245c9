#include <map>
#include <stdexcept>
#include <tuple>

#include "base/round.hpp"
#include "block/sizes.hpp"
#include "kernel/rung/plan.hpp"
#include "launch/block_class.hpp"

namespace cornerturn {
namespace {

/// Tiles along one mode that begin at the same offset in a cache line on both sides: the first such tile, and their number.
struct stripe {
  bool edge;
  int source, destination;  ///< offset in the cache line, bytes
  std::int64_t first, count;
};

/// Groups the tiles along a mode. Tiles are `source_step` and `destination_step` bytes apart, so their offsets in a cache line
/// repeat after at most kLineBytes tiles.
std::vector<stripe> stripes_of(std::int64_t extent, int tile, std::int64_t source_step, std::int64_t destination_step) {
  auto const in_line = [](std::int64_t i, std::int64_t step) { return int(i % kLineBytes * (step % kLineBytes) % kLineBytes); };
  std::map<std::tuple<bool, int, int>, stripe> known;
  auto const add = [&](std::int64_t i, std::int64_t count, bool edge) {
    stripe const each{edge, in_line(i, source_step), in_line(i, destination_step), i, 0};
    known.try_emplace({edge, each.source, each.destination}, each).first->second.count += count;
  };
  std::int64_t const whole = extent / tile;
  for (std::int64_t i = 0; i < kLineBytes && i < whole; ++i) add(i, (whole - i + kLineBytes - 1) / kLineBytes, false);
  if (extent % tile) add(whole, 1, true);
  std::vector<stripe> result;
  for (auto const& [key, each] : known) result.push_back(each);
  return result;
}

}  // namespace

std::vector<block_class> classes_of(rung_plan const& plan, array_addresses const&) {
  auto const& shape = plan.shape;
  auto const& tile = plan.tile;
  if (tile.tiles != 1) throw std::logic_error("classes_of takes one tile a block");
  auto const& info = info_of(plan.kernel);
  bool const straight = info.is_copy, down = info.order == raster::destination_rows;
  auto const bytes = [&](std::int64_t elements, int times) { return elements % kLineBytes * times * plan.element_size; };
  auto const across = bytes(1, tile.cols), of_row = bytes(1, tile.rows), source_down = bytes(shape.source_pitch, tile.rows),
             destination_down = bytes(shape.destination_pitch, tile.rows),
             destination_across = bytes(shape.destination_pitch, tile.cols);
  auto const rows = stripes_of(shape.rows, tile.rows, source_down, straight ? destination_down : of_row),
             cols = stripes_of(shape.cols, tile.cols, across, straight ? across : destination_across),
             batch = stripes_of(shape.batch, 1, bytes(shape.source_batch_stride, 1), bytes(shape.destination_batch_stride, 1));
  auto const tiles_down = ceil_div(shape.rows, tile.rows), tiles_across = ceil_div(shape.cols, tile.cols);

  std::map<std::tuple<bool, bool, int, int>, block_class> classes;
  for (auto const& b : batch)
    for (auto const& m : rows)
      for (auto const& n : cols) {
        int const source = (b.source + m.source + n.source) % kLineBytes,
                  destination = (b.destination + m.destination + n.destination) % kLineBytes;
        auto const index =
            b.first * tiles_down * tiles_across + (down ? n.first * tiles_down + m.first : m.first * tiles_across + n.first);
        auto const [known, is_new] = classes.try_emplace({m.edge, n.edge, source, destination}, block_class{index, 0});
        known->second.count += b.count * m.count * n.count;
      }
  std::vector<block_class> result;
  for (auto const& [key, each] : classes) result.push_back(each);
  return result;
}

}  // namespace cornerturn
