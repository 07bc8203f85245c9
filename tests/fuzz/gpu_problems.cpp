#include "fuzz/gpu_problems.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/round.hpp"
#include "block/sizes.hpp"
#include "element/pairs.hpp"
#include "problem/permuted.hpp"
#include "support/random_operation.hpp"

namespace cornerturn::fuzz {
namespace {

constexpr std::int64_t kMostBytes = 16'000, kMostInplace = 48'000;  ///< bytes of most arrays, and of arrays in place

std::int64_t vector_of(std::int64_t size) { return std::max<std::int64_t>(1, kUnitBytes / size); }

/// A number of elements: mostly whole vectors.
std::int64_t random_length(random_source& random, std::int64_t size, std::int64_t most) {
  auto const length = random.between(1, std::max<std::int64_t>(1, most));
  return random.one_in(4) ? length : round_up(length, vector_of(size));
}

problem transposition(std::vector<std::int64_t> const& shape, std::int64_t size) {
  std::vector<std::int64_t> axes(shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes.back(), axes.rbegin()[1]);
  return permutation(shape, {}, axes, size);
}

/// Modes of two elements in any order, which are often more digits than a short job has. The last mode often stays in its place.
problem random_digits(random_source& random, std::int64_t size) {
  std::vector<std::int64_t> shape(std::size_t(random.between(5, 10)), 2), axes(shape.size());
  shape.back() = random.between(2, 3);
  std::iota(axes.begin(), axes.end(), 0);
  random.shuffle(axes);
  if (random.one_in(2)) std::iter_swap(std::ranges::find(axes, std::ssize(axes) - 1), axes.end() - 1);
  return permutation(shape, {}, axes, size);
}

/// A matrix of elements or of short runs that is larger than a tile, often with gaps after its rows or after its columns. Without
/// gaps, tiles of whole rows would be contiguous on both sides.
problem random_tiles(random_source& random) {
  auto const size = random.one_of<std::int64_t>({1, 1, 2, 4, 8, 16}),
             run = random.one_in(3) ? random_length(random, size, 64 / size) : 1, rows = random_length(random, size, 400 / size),
             columns = random_length(random, size, random.between(kMostBytes, 3 * kMostBytes) / (rows * run * size));
  auto const gap = [&] { return vector_of(size) * random.between(0, 2); };
  return {.modes = {{columns, run, rows * run + gap()}, {rows, columns * run + gap(), run}, {run, 1, 1}}, .element_size = size};
}

/// Structures of 2 to 8 elements that become rows, or rows that become structures: aligned ones, or long ones of any length.
problem random_fields(random_source& random) {
  auto const size = random.one_of<std::int64_t>({1, 2, 4, 8}), fields = random.between(2, 8);
  auto const elements =
      size <= 2 && random.one_in(2) ? random.between(2048, 4096) / size : vector_of(size) * random.between(1, 512 / kUnitBytes);
  return transposition(random.one_in(2) ? std::vector{fields, elements} : std::vector{elements, fields}, size);
}

/// A few matrices of at most a few tiles.
problem random_matrices(random_source& random, std::int64_t size) {
  auto const batch = random.one_in(2) ? 1 : random.between(2, 4), rows = random_length(random, size, 80),
             columns = random_length(random, size, std::min<std::int64_t>(80, kMostBytes / (rows * size)));
  return transposition({batch, rows, columns}, size);
}

problem random_gpu_problem(random_source& random, std::int64_t size) {
  using enum shape_kind;
  auto const drawn = random.between(1, 20);
  if (drawn <= 2) return random_digits(random, size);
  if (drawn <= 6) return random_tiles(random);
  if (drawn <= 11) return random_fields(random);
  if (drawn <= 13) return random_matrices(random, size);
  return random_problem(random, random.between(1, kMostBytes) / size + 1, size, random.one_of({any, matrix, fields, shared}));
}

/// The problem with an operation, half of the time between types that have kernels of their own.
problem with_any_operation(problem const& p, random_source& random) {
  bool const has_own_types = random.one_in(2);
  // the factors of a test have room for 256 indices of each mode
  bool const has_long_mode = std::ranges::any_of(p.modes, [](mode const& m) { return m.extent > 256; });
  for (;;) {
    auto const result = test::with_random_operation(p, random.generator32());
    auto const& operation = result.operation;
    if (!operation || (is_affine(*operation) && has_long_mode)) continue;
    if (!has_own_types || element::visit_compiled_pair(*operation, [](auto) {})) return result;
  }
}

/// Rows of whole vectors, which stay together and whose elements have a scale or a bias.
problem random_scaled_rows(random_source& random) {
  element_operation operation{.source = element_type::u8, .destination = element_type::f32, .factor_strides = {1, 0, 0}};
  (random.one_in(2) ? operation.scale : operation.bias) = test::random_factors<float>().data();
  std::vector<std::int64_t> const shape{random.between(2, 8), random.between(2, 8), 16 * random.between(1, 8)};
  return with_operation(permutation(shape, {}, std::vector<std::int64_t>{1, 0, 2}, 1), operation);
}

/// Images of 3 or 4 bytes a pixel that become planes of floats, by a factor or by a scale and a bias for each plane.
problem random_pixels(random_source& random) {
  using enum element_type;
  std::int64_t const planes = random.between(3, 4), pixels = 16 * random.between(1, kMostBytes / 64);
  element_operation operation{.source = u8, .destination = random.one_of({f32, f16, bf16}), .alpha = random.one_of({1.0, 0.5})};
  if (random.one_in(2)) {
    operation.alpha = 1, operation.factor_strides = {planes, 1, 0};
    operation.scale = test::random_factors<float>().data();
    if (random.one_in(2)) operation.bias = test::random_factors<float>().data() + test::kFactors;
  }
  return with_operation(transposition({random.between(1, 3), pixels, planes}, 1), operation);
}

/// Squares, and matrices whose sides are multiples of an element, of a vector or of a long run, as panels that exchange slots
/// have.
dense_permutation random_matrices_inplace(random_source& random, std::int64_t size) {
  auto const batch = random.one_in(4) ? random.between(2, 3) : 1, elements = kMostInplace / (batch * size);
  std::vector shape{batch, std::int64_t(1), std::int64_t(1)};
  if (random.one_in(3)) {
    shape[1] = shape[2] = random_length(random, size, std::int64_t(std::sqrt(double(elements))));
  } else {
    auto const line = std::max<std::int64_t>(1, 64 / size), grain = random.one_of<std::int64_t>({1, vector_of(size), line, line}),
               rows = grain * random.between(1, 6), unit = random.one_of<std::int64_t>({1, vector_of(size), grain, grain}),
               most = std::max<std::int64_t>(1, elements / (rows * unit));
    shape[1] = rows, shape[2] = unit * random.between(random.one_in(2) ? 1 : ceil_div(most, 2), most);
    if (random.one_in(2)) std::swap(shape[1], shape[2]);
  }
  return {.shape = shape, .axes = {0, 2, 1}, .element_size = size};
}

/// Skinny matrices of any length, whose chunks often leave a remainder and are often shorter than their rows.
dense_permutation random_skinny_inplace(random_source& random) {
  auto const size = random.one_of<std::int64_t>({2, 4, 8, 16, 16, 16}), rows = random_length(random, size, 24),
             columns = random.between(rows, std::min(2 * rows * rows, kMostInplace / (rows * size)));
  return {
      .shape = random.one_in(2) ? std::vector{rows, columns} : std::vector{columns, rows}, .axes = {1, 0}, .element_size = size};
}

/// Few runs of any length, often with modes between the two that are exchanged.
dense_permutation random_runs_inplace(random_source& random, std::int64_t size) {
  auto const side = [&] { return random.between(2, 5); };
  return {.shape = {random.between(1, 2), side(), random.between(1, 3), side(), random.between(64, 300) / size + 1},
          .axes = {0, 3, 2, 1, 4},
          .element_size = size};
}

}  // namespace

gpu_model random_gpu(random_source& random) {
  auto result = h200_model();
  if (random.one_in(3)) return result;
  result.small.blocks = double(random.one_of({0, 1, 4, 64})), result.flat.blocks = double(random.one_of({0, 1, 2, 4, 8, 64}));
  result.limits.cluster_blocks = int(random.one_of({1, 2, 4, 8, 16}));
  result.limits.shared_bytes_per_sm = int(random.one_of({4, 8, 16, 60})) * 1024 + result.limits.reserved_shared_bytes;
  return result;
}

problem random_gpu_copy(random_source& random) { return random_gpu_problem(random, random_element_size(random)); }

problem random_gpu_change(random_source& random) {
  if (random.one_in(8)) return random_pixels(random);
  if (random.one_in(16)) return random_scaled_rows(random);
  return with_any_operation(random_gpu_problem(random, random.one_of<std::int64_t>({1, 2, 4, 8})), random);
}

dense_permutation random_gpu_inplace(random_source& random) {
  auto const size = random.one_of<std::int64_t>({1, 2, 4, 8, 16});
  auto const drawn = random.between(1, 8);
  if (drawn <= 4) return random_matrices_inplace(random, size);
  if (drawn == 5) return random_skinny_inplace(random);
  if (drawn == 6) return random_runs_inplace(random, size);
  return random_inplace(random, random.between(1, 2 * kMostBytes));
}

}  // namespace cornerturn::fuzz
