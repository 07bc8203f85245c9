#include "kernel/gather/cutting.hpp"

#include <cstdlib>
#include <numeric>

namespace cornerturn {
namespace {

constexpr std::int64_t kUnit = 16;
constexpr std::int64_t kWidestGap = 16;  ///< bytes between source elements that a fetch of the row may skip over

/// Divides `extent` indices into parts of about `wanted` and nearly equal size, a multiple of `grain` if possible.
std::int64_t balanced(std::int64_t extent, std::int64_t wanted, std::int64_t grain) {
  if (2 * extent <= 3 * wanted) return extent;
  auto const piece = extent < 8 * wanted ? ceil_div(extent, ceil_div(extent, wanted)) : wanted;
  return grain > wanted ? piece : std::min(round_up(piece, grain), extent);
}

/// The divisor of `extent` nearest to `wanted`, if one is within a factor of two; else `extent`.
std::int64_t divisor_near(std::int64_t extent, std::int64_t wanted) {
  for (std::int64_t off = 0; off <= wanted; ++off) {
    if (extent % (wanted + off) == 0) return wanted + off;
    if (2 * (wanted - off) >= wanted && wanted > off && extent % (wanted - off) == 0) return wanted - off;
  }
  return extent;
}

}  // namespace

cutting::cutting(problem const& p) : size(shared_element_size(p)) {
  for (auto const& each : p.modes) parts.push_back({.whole = each});
  by_destination.resize(parts.size());
  std::iota(by_destination.begin(), by_destination.end(), 0);
  auto by_source = by_destination;
  std::ranges::sort(by_destination, {}, [&](int i) { return parts[i].whole.destination_stride; });
  std::ranges::sort(by_source, {}, [&](int i) { return std::abs(parts[i].whole.source_stride); });

  std::int64_t next = 1;
  for (int const i : by_destination) {
    if (parts[i].whole.destination_stride != next) break;
    vector_chain.push_back(i);
    next *= parts[i].whole.extent;
  }
  std::int64_t span = 1;
  for (int const i : by_source) {
    auto const stride = std::abs(parts[i].whole.source_stride);
    if (stride == 0) continue;
    if (stride < span || (stride - span) * size > kWidestGap) break;
    run_chain.push_back(i);
    span += (parts[i].whole.extent - 1) * stride;
  }
}

void cutting::take(std::int64_t run_elements, std::int64_t vector_elements, std::int64_t tile_elements) {
  take_chain(run_chain, &part::run, run_elements);
  take_chain(vector_chain, &part::vectors, vector_elements);
  agree();
  fill(tile_elements);
}

void cutting::take_chain(std::vector<int> const& chain, std::int64_t part::*side, std::int64_t wanted) {
  for (auto& each : parts) each.*side = 0;
  std::int64_t elements = 1;
  for (int const i : chain) {
    if (elements >= wanted) break;
    auto& each = parts[i];
    auto const grain = std::max<std::int64_t>(1, 32 / std::gcd<std::int64_t>(32, size * elements));
    each.*side = balanced(each.whole.extent, ceil_div(wanted, elements), grain);
    elements *= each.*side;
    if (each.*side < each.whole.extent) break;
  }
}

int cutting::slowest(std::vector<int> const& chain, std::int64_t part::*side) const {
  int last = -1;
  for (int const i : chain)
    if (parts[i].*side) last = i;
  return last;
}

/// Makes `run` and `vectors` agree for modes that are in both. Each side may cut only its slowest mode.
void cutting::agree() {
  int const run_last = slowest(run_chain, &part::run), vector_last = slowest(vector_chain, &part::vectors);
  for (int i = 0; i < int(parts.size()); ++i) {
    auto& each = parts[i];
    if (!each.run || !each.vectors) continue;
    if (i != run_last)
      each.vectors = each.run = each.whole.extent;
    else if (i == vector_last) {
      // Neighbouring vectors that lie a multiple of 64 bytes apart in a row have bank conflicts, so they become columns.
      auto const vector = kUnit / size;
      if (i == vector_chain.front() && each.whole.source_stride % 4 == 0 && each.vectors > vector) each.run = vector;
      each.vectors = round_up(each.vectors, each.run);
    } else
      each.run = divisor_near(each.whole.extent, each.run), each.vectors = each.whole.extent;
  }
}

std::int64_t cutting::elements() const {
  std::int64_t product = 1;
  for (auto const& each : parts) product *= each.tile();
  return product;
}

bool cutting::ragged(alignment const& aligned, std::int64_t width, std::int64_t offset, std::int64_t row, int cut) const {
  auto const whole = [&](std::int64_t elements) { return elements % width == 0; };
  if (aligned.destination % kUnit || !whole(offset) || !whole(row)) return true;
  if (cut >= 0 && !whole(parts[cut].whole.extent % parts[cut].vectors * (row / parts[cut].vectors))) return true;
  return std::ranges::any_of(parts, [&](part const& each) {
    auto const step = std::max<std::int64_t>(each.vectors, 1);
    return each.whole.extent > step && !whole(step * each.whole.destination_stride);
  });
}

/// Adds indices of the other modes until the tile has about `tile_elements` elements. A mode may have a smaller last part only if
/// one side has no cut mode yet.
void cutting::fill(std::int64_t tile_elements) {
  for (auto& each : parts) each.batch = 1;
  auto edges = 2 - std::ranges::any_of(parts, &part::run_cut) - std::ranges::any_of(parts, &part::vector_cut);
  auto taken = elements();
  for (int const i : by_destination) {
    if (taken >= tile_elements) return;
    auto& each = parts[i];
    auto const left = each.left(), wanted = std::min(ceil_div(tile_elements, taken), left);
    if (wanted <= 1) continue;
    each.batch = ceil_div(left, ceil_div(left, wanted));
    bool const may_have_rest = each.run_cut() || each.vector_cut() || each.divides() || edges-- > 0;
    if (!may_have_rest) {
      each.batch = wanted;
      while (!each.divides()) --each.batch;
    }
    taken *= each.batch;
  }
}

}  // namespace cornerturn
