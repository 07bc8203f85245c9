#include "explain/classes.hpp"

#include <map>
#include <stdexcept>
#include <tuple>

#include "explain/requests.hpp"

namespace cornerturn {
namespace {

/// Tiles along one mode that begin at the same place of a cache line.
struct stripe {
  std::int64_t first, count;
  bool edge;
};

/// The line's bytes repeat after at most kLineBytes tiles, whatever the pitch.
std::vector<stripe> stripes_of(std::int64_t extent, int tile) {
  std::vector<stripe> result;
  std::int64_t const whole = extent / tile;
  for (std::int64_t i = 0; i < kLineBytes && i < whole; ++i)
    result.push_back({i, (whole - i + kLineBytes - 1) / kLineBytes, false});
  if (extent % tile) result.push_back({whole, 1, true});
  return result;
}

/// Where in a cache line tile (m, n) begins, apart from the matrix itself.
int place_in_line(std::int64_t m, std::int64_t n, std::int64_t m_step, std::int64_t n_step, int element_size) {
  auto const in_line = [](std::int64_t a, std::int64_t b) { return a % kLineBytes * (b % kLineBytes) % kLineBytes; };
  return int((in_line(m, m_step) + in_line(n, n_step)) * element_size % kLineBytes);
}

}  // namespace

std::vector<block_class> classes_of(rung_plan const& plan, bool down) {
  auto const& shape = plan.shape;
  auto const& tile = plan.tile;
  if (tile.tiles != 1 || shape.batch != 1) throw std::logic_error("classes_of takes one tile a block and one matrix");
  bool const straight = info_of(plan.kernel).straight;
  auto const scaled = [](std::int64_t pitch, int by) { return pitch % kLineBytes * by; };
  std::int64_t const tiles_down = (shape.rows + tile.rows - 1) / tile.rows,
                     tiles_across = (shape.cols + tile.cols - 1) / tile.cols;

  std::map<std::tuple<bool, bool, int, int>, block_class> classes;
  for (auto const& m : stripes_of(shape.rows, tile.rows))
    for (auto const& n : stripes_of(shape.cols, tile.cols)) {
      int const source = place_in_line(m.first, n.first, scaled(shape.source_pitch, tile.rows), tile.cols, plan.element_size);
      int const destination =
          straight ? place_in_line(m.first, n.first, scaled(shape.destination_pitch, tile.rows), tile.cols, plan.element_size)
                   : place_in_line(m.first, n.first, tile.rows, scaled(shape.destination_pitch, tile.cols), plan.element_size);
      auto const index = down ? n.first * tiles_down + m.first : m.first * tiles_across + n.first;
      auto const [known, is_new] = classes.try_emplace({m.edge, n.edge, source, destination}, block_class{index, 0});
      known->second.count += m.count * n.count;
    }
  std::vector<block_class> result;
  for (auto const& [key, each] : classes) result.push_back(each);
  return result;
}

}  // namespace cornerturn
