#include "support/program_cases.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>

#include "inplace/gpu.hpp"
#include "problem/canonical.hpp"
#include "problem/element_types.hpp"
#include "problem/permuted.hpp"
#include "support/all_types.hpp"
#include "support/cases.hpp"
#include "support/random_operation.hpp"
#include "support/rungs.hpp"

namespace cornerturn::test {
namespace {

using case_list = std::vector<program_case>;

alignment aligned_by(std::size_t source_shift, std::size_t destination_shift) {
  return {int(std::gcd(source_shift, std::size_t(16))), int(std::gcd(destination_shift, std::size_t(16)))};
}

/// Adds a case for each plan that plans(canonical problem, alignment) returns.
template <class Plans>
void add(case_list& cases, problem const& p, std::size_t source_shift, std::size_t destination_shift, Plans const& plans) {
  for (auto const& plan : plans(canonical(p), aligned_by(source_shift, destination_shift)))
    cases.push_back({p, single_step(plan), source_shift, destination_shift});
}

problem transposed(std::int64_t batch, std::int64_t rows, std::int64_t cols, std::int64_t size) {
  return permutation(std::array{batch, rows, cols}, {}, std::array<std::int64_t, 3>{0, 2, 1}, size);
}

/// Vectors on both sides, on either one and on none; batches with pitches, and rows that end within a vector.
case_list rung_cases(rung kernel) {
  constexpr transpose_case kMatrices[] = {{272, 272}, {257, 257},          {272, 257},
                                          {257, 272}, {48, 80, 3, 16, 32}, {80, 163, 2, 13, 16}};
  case_list cases;
  for (int const size : {1, 2, 4, 8, 16})
    for (auto const& each : kMatrices) {
      job shape = each.shape();
      if (info_of(kernel).is_copy) {
        shape.destination_pitch = each.cols + each.destination_gap;
        shape.destination_batch_stride = each.rows * shape.destination_pitch;
      } else if (!serves(kernel, each, size)) {
        continue;
      }
      bool const straight = info_of(kernel).is_copy;
      problem const p{.modes = {{shape.batch, shape.source_batch_stride, shape.destination_batch_stride},
                                {shape.rows, shape.source_pitch, straight ? shape.destination_pitch : 1},
                                {shape.cols, 1, straight ? 1 : shape.destination_pitch}},
                      .element_size = size};
      try {
        auto const plan = plan_rung(kernel, shape, size, {});
        for (auto const& tile : tiles_of(kernel, size, plan.widths)) cases.push_back({p, single_step(with_tile(plan, tile))});
      } catch (error const&) {  // TMA does not support every case
      }
    }
  return cases;
}

/// Every form of the program: aligned rows, unaligned rows, and rows with gaps between their elements; each with offsets of 32
/// and 64 bits.
case_list gather_cases() {
  case_list cases;
  for (std::int64_t const size : {1, 2, 4, 8, 16})
    for (tile_hint const& hint : {tile_hint{}, tile_hint{4096, 128, 24 << 10}}) {
      auto const plans = [&](problem const& canonical, alignment const& aligned) {
        auto plan = plan_gather(refit_elements(canonical, aligned), aligned, hint);
        std::vector plans{plan};
        plan.form.wide = true;
        plans.push_back(plan);
        return plans;
      };
      auto const shift = std::size_t(size);
      constexpr std::array<std::int64_t, 3> kReversed{2, 1, 0};
      add(cases, permutation(std::array<std::int64_t, 3>{48, 6, 80}, {}, kReversed, size), 0, 0, plans);
      add(cases, permutation(std::array<std::int64_t, 3>{47, 5, 81}, {}, kReversed, size), shift, shift, plans);
      add(cases, {.modes = {{70, 1, 2 * 31}, {31, 70, 2}}, .element_size = size}, shift, 0, plans);
    }
  return cases;
}

/// 2 to 8 rows of whole vectors, and unaligned rows of small elements.
case_list interleave_cases() {
  case_list cases;
  auto const plans = [](problem const& canonical, alignment const& aligned) {
    auto const plan = plan_interleave(canonical, aligned);
    return plan ? std::vector{*plan} : std::vector<interleave_plan>{};
  };
  for (std::int64_t const size : {1, 2, 4, 8})
    for (std::int64_t fields = 2; fields <= 8; ++fields)
      for (bool const to_aos : {false, true})
        for (bool const unaligned : {false, true}) {
          auto const many = unaligned ? 4080 / size + 7 : 300 * 16 / size;
          problem p{.modes = {{2, fields * many, fields * many}, {fields, 1, many}, {many, fields, 1}}, .element_size = size};
          if (to_aos)
            for (auto& each : p.modes) std::swap(each.source_stride, each.destination_stride);
          auto const shift = std::size_t(unaligned ? size : 0);
          add(cases, p, to_aos ? shift : 0, to_aos ? 0 : shift, plans);
        }
  return cases;
}

case_list unaligned_cases() {
  case_list cases;
  for (std::int64_t const size : {1, 2})
    for (auto const& [rows, cols] : {std::array{531, 135}, {135, 531}})
      add(cases, transposed(2, rows, cols, size), std::size_t(size), std::size_t(size),
          [](problem const& canonical, alignment const&) { return plan_unaligned(canonical); });
  return cases;
}

case_list small_cases() {
  case_list cases;
  for (std::int64_t const size : {1, 2, 4, 8, 16})
    for (std::int64_t const more : {0, 1})  // all forms, and elements alone
      add(cases, transposed(3, 9 * 16 / size + more, std::max<std::int64_t>(5 * 16 / size, 9) + more, size),
          std::size_t(more * size), 0, [](problem const& canonical, alignment const& aligned) {
            std::vector<small_plan> plans;
            for (auto const& each : candidates_of(canonical, aligned))
              if (auto const* const plan = std::get_if<small_plan>(&each.steps.front().kernel)) plans.push_back(*plan);
            return plans;
          });
  return cases;
}

/// Every number of digits and every tile.
case_list flat_cases() {
  case_list cases;
  struct array_case {
    std::vector<std::int64_t> shape, axes;
  };
  for (std::int64_t const size : {1, 2, 4, 8, 16})
    for (auto const& [shape, axes] : {array_case{{5, 37, 41}, {0, 2, 1}},
                                      {{41, 7, 45}, {2, 1, 0}},
                                      {{9, 3, 5, 6, 7}, {3, 1, 4, 2, 0}},
                                      {{40, 3, 5, 2, 7}, {2, 1, 4, 3, 0}},
                                      {{3, 2, 3, 2, 3, 2, 5, 2, 3}, {8, 0, 6, 3, 4, 1, 7, 2, 5}},
                                      {{2, 5, 6, 2, 3, 7, 3}, {6, 4, 0, 3, 5, 1, 2}},
                                      {{2, 19, 7, 2, 3, 2, 5, 3, 3}, {8, 3, 1, 5, 7, 2, 0, 6, 4}},
                                      {{2, 3, 2, 3, 2, 2, 2, 2, 3, 2, 2}, {10, 3, 7, 1, 9, 5, 0, 8, 2, 6, 4}},
                                      {{2, 5, 2, 2, 3, 2, 2, 2, 7, 2, 5}, {10, 8, 6, 0, 9, 7, 5, 3, 1, 4, 2}}})
      add(cases, permutation(shape, {}, axes, size), std::size_t(size), 0,
          [](problem const& canonical, alignment const& aligned) {
            return plan_flat(refit_elements(canonical, aligned), h200_model());
          });
  return cases;
}

/// Every depth, few digits and many, and 64-bit offsets: rows that stay rows, with odd extents, at unaligned addresses, and with
/// gaps and negative strides. Parts are whole tiles, end within a tile, and are shorter than a tile.
case_list direct_cases() {
  case_list cases;
  for (std::int64_t const size : {1, 2, 4, 8, 16})
    for (int const depth : kDirectDepths) {
      auto const plans = [&](problem const& canonical, alignment const& aligned) {
        auto const refitted = refit_elements(canonical, aligned);
        std::vector plans{plan_direct(refitted, depth, false).value(), plan_direct(refitted, depth).value()};
        if (depth == kWideDirectDepth) {
          plans.push_back(plans.front());
          plans.back().wide = true;
        }
        return plans;
      };
      auto const shift = std::size_t(size);
      constexpr std::array<std::int64_t, 4> kHeads{0, 2, 1, 3};
      add(cases, permutation(std::array<std::int64_t, 4>{2, 16, 5, 128 / size}, {}, kHeads, size), 0, 0, plans);
      add(cases, permutation(std::array<std::int64_t, 4>{3, 7, 31, 5}, {}, kHeads, size), shift, shift, plans);
      add(cases,
          permutation(std::array<std::int64_t, 6>{3, 5, 7, 5, 3, 3}, {}, std::array<std::int64_t, 6>{2, 1, 4, 0, 3, 5}, size),
          shift, 0, plans);
      add(cases,
          {.modes = {{5, 700, -1100}, {33, -21, 33}, {11, 1, 3}},
           .element_size = size,
           .source_offset = 32 * 21,
           .destination_offset = 4 * 1100},
          shift, 0, plans);
    }
  return cases;
}

/// Every program: both sides in vectors, one of them, and none; with edges, gaps, negative strides and a mode on both sides. The
/// larger tiles need the larger number of threads.
case_list tiled_cases() {
  case_list cases;
  for (std::int64_t const size : {1, 2, 4, 8, 16}) {
    auto const plans = [](problem const& canonical, alignment const& aligned) {
      std::vector<tiled_plan> plans;
      for (tiled_hint const& hint : {tiled_hint{256, 256}, tiled_hint{64, 128, 16 << 10}, tiled_hint{256, 256, 16 << 10}})
        if (auto const plan = plan_tiled(refit_elements(canonical, aligned), aligned, hint)) plans.push_back(*plan);
      return plans;
    };
    auto const add_permutation = [&](std::vector<std::int64_t> const& shape, std::vector<std::int64_t> const& axes) {
      add(cases, permutation(shape, {}, axes, size), 0, 0, plans);
    };
    auto const vector = 16 / size, word = std::max<std::int64_t>(4 / size, 1), half = std::max(word, vector / 2);
    for (auto const rows : {20 * vector, 21 * word, 21 * half})
      for (auto const cols : {18 * vector, 19 * word, 27 * half}) add_permutation({4, rows, cols}, {0, 2, 1});
    for (auto const rows : {32 * vector, 33 * half}) add_permutation({rows, 32 * vector}, {1, 0});
    add_permutation({3, 4, 70, 5 * vector}, {3, 2, 1, 0});
    add_permutation({70, 2, 33 * vector}, {0, 2, 1});
    add(cases,
        {.modes = {{5, 700, -1100}, {33, -21, 33}, {11, 1, 3}},
         .element_size = size,
         .source_offset = 32 * 21,
         .destination_offset = 4 * 1100},
        std::size_t(size), 0, plans);
  }
  return cases;
}

/// Adds a case of two images, the last one first, that a launch takes as a list. plan(canonical problem of an image) returns the
/// plan for one.
template <class Plan>
void add_list(case_list& cases, std::array<std::int64_t, 3> const& shape, element_operation operation, Plan const& plan) {
  constexpr std::int64_t kPlanes[] = {2, 0, 1};
  auto const one = permutation(shape, {}, kPlanes, 1);
  auto const bytes = shape[0] * shape[1] * shape[2];
  operation.factor_strides = {1, 0, 0};
  auto const listed = with_sources(plan(canonical(with_operation(one, operation))), {bytes, 0}, bytes);
  auto both = one;
  both.modes.insert(both.modes.begin(), {2, -bytes, bytes});
  both.source_offset = bytes;
  operation.factor_strides.insert(operation.factor_strides.begin(), 0);
  cases.push_back({with_operation(both, operation), single_step(listed)});
}

/// Every pair of types, and every program: vectors on both sides, on either one and on none; edges, and modes that stay.
case_list convert_cases() {
  case_list cases;
  auto const plans = [](problem const& canonical, alignment const& aligned) {
    std::vector<convert_plan> plans;
    if (auto const plan = plan_convert(canonical, aligned, {256, 256})) plans.push_back(*plan);
    return plans;
  };
  auto const add_operation = [&](element_operation const& operation) {
    constexpr std::array<std::int64_t, 3> kTransposed{0, 2, 1}, kSame{0, 1, 2};
    constexpr std::array<std::int64_t, 3> kAligned{1, 80, 96}, kOddSource{2, 48, 37}, kShort{3, 37, 5};
    for (auto const& p : {permutation(kAligned, {}, kTransposed, 1), permutation(kAligned, {}, kSame, 1),
                          permutation(kOddSource, {}, kTransposed, 1), permutation(kShort, {}, kSame, 1)}) {
      auto const given = with_operation(p, operation);
      add(cases, given, 0, 0, plans);
      if (p.modes.back().extent == 5)
        add(cases, given, std::size_t(given.element_size.source), std::size_t(given.element_size.destination), plans);
    }
  };
  for (auto const source : kAllTypes)
    for (auto const destination : kAllTypes) {
      element_operation operation{source, destination};
      if (is_complex(operation.source) && !is_complex(operation.destination)) continue;
      if (copies_bits(operation)) operation.alpha = 2;
      add_operation(operation);
    }
  for (auto const type : {element_type::c64, element_type::c128}) add_operation({type, type, {2, 0.5}, {-1, 0.5}, true});
  std::mt19937 generator(25);
  using enum element_type;
  for (auto const source : {u8, i8, bf16, f32, f64})
    for (auto const destination : {u8, f8_e4m3fn, f16, bf16, f32, f64})
      add_operation(random_affine(generator, {source, destination}, 3));
  for (auto const type : {element_type::f32, element_type::f64, element_type::i16}) add_operation({type, type, 2, -1});
  for (auto const type : {i16, f32, c64, c128})
    for (double const alpha : {1.0, 2.0})
      add_operation(
          {.source = type, .destination = type, .alpha = alpha, .source_swapped = true, .destination_swapped = alpha != 1});
  for (auto const destination : {f32, f16, bf16, f64})
    for (auto const& shape : {std::array<std::int64_t, 3>{37, 41, 3}, {36, 64, 3}, {48, 40, 1}})
      add_list(cases, shape, random_affine(generator, {u8, destination}, 3), [](problem const& one) {
        return plan_convert(one, {1, 16}, {256, 256}).value();
      });
  return cases;
}

/// Every program: pixels of 3 and 4 bytes, with one scale and with factors of each plane and image; the last tile of a part is
/// not full.
case_list planes_cases() {
  case_list cases;
  auto const plans = [](problem const& canonical, alignment const& aligned) {
    return std::vector{plan_planes(canonical, aligned).value()};
  };
  constexpr std::int64_t kPixels = 1056, kImages = 2;
  std::mt19937 generator(26);
  using enum element_type;
  for (auto const destination : {f32, f16, bf16})
    for (std::int64_t const bytes : {3, 4}) {
      problem const p{.modes = {{kImages, kPixels * bytes, bytes * kPixels}, {kPixels, bytes, 1}, {bytes, 1, kPixels}},
                      .element_size = {1, 1}};
      add(cases, with_operation(p, {u8, destination, 0.25}), 0, 0, plans);
      auto affine = random_affine(generator, {u8, destination}, p.modes.size());
      affine.factor_strides = {bytes, 0, 1};
      add(cases, with_operation(p, affine), 0, 0, plans);
      add_list(cases, {22, 48, bytes}, affine, [](problem const& one) { return plan_planes(one, {}).value(); });
    }
  return cases;
}

/// Squares in vectors and in single elements, with tiles on the diagonal, beside it and at the edge; small squares and runs; runs
/// of many units and of few, a whole number of them or not.
case_list swap_cases() {
  case_list cases;
  for (std::int64_t const size : {1, 2, 4, 8, 16})
    for (auto const& [n, run, shift] : {std::array<std::int64_t, 3>{272, 1, 0},
                                        {257, 1, size},
                                        {20, 3, size},
                                        {7, 1, size},
                                        {37, 16 / size + 3, size},
                                        {9, 1000 / size + 1, 0},
                                        {3, 9000 / size + 1, size}}) {
      auto const p = permutation(std::array{std::int64_t(2), n, n, run}, {}, std::array<std::int64_t, 4>{0, 2, 1, 3}, size);
      auto const bytes = std::size_t(shift);
      for (auto const& way : one_step_inplace(canonical(p), aligned_by(bytes, bytes))) cases.push_back({p, way, bytes, bytes});
    }
  return cases;
}

/// Rectangles whose slots one launch transposes and exchanges, after and before: with slots on both sides of the diagonal in a
/// block, and in clusters.
void add_panels_exchange(case_list& cases) {
  auto const gpu = h200_model();
  for (std::int64_t const size : {2, 4, 8})
    for (std::int64_t const parts : {3, 200})
      for (auto const exchange : {slot_exchange::after, slot_exchange::before}) {
        auto const sides = std::array{parts * 64 / size, parts * 16 / size};
        auto const p = permutation(std::array{sides[exchange == slot_exchange::before], sides[exchange == slot_exchange::after]},
                                   {}, std::array<std::int64_t, 2>{1, 0}, size);
        auto const aligned = aligned_by(0, 0);
        auto const whole = rectangles_of(canonical(p), aligned).value();
        auto const planned = plan_exchanging(whole, cut_into(whole, parts), exchange, aligned, gpu).value();
        cases.push_back({p, with_copies(planned, aligned, gpu).value(), 0, 0});
      }
}

/// Panels that one launch changes: with vectors and with single elements, in clusters of blocks and without.
case_list panels_cases() {
  case_list cases;
  for (std::int64_t const size : {1, 2, 4, 8, 16})
    for (auto const& [rows, slots, columns, run, shift] : {std::array<std::int64_t, 5>{32, 5, 48, 1, 0},
                                                           {33, 5, 47, 1, size},
                                                           {20, 1, 7, 3, size},
                                                           {5, 40, 16, 1, size},
                                                           {64, 150 / size, 96, 1, 0}}) {
      auto const p = permutation(std::array{std::int64_t(3), rows, slots, columns, run}, {},
                                 std::array<std::int64_t, 5>{0, 3, 2, 1, 4}, size);
      auto const bytes = std::size_t(shift);
      for (auto const& way : one_step_inplace(canonical(p), aligned_by(bytes, bytes))) cases.push_back({p, way, bytes, bytes});
    }
  add_panels_exchange(cases);
  return cases;
}

/// Runs that are longer than a part and end within one, whole parts, and runs of unaligned elements; boxes of one block and of
/// clusters.
case_list boxes_cases() {
  case_list cases;
  for (std::int64_t const size : {1, 2, 4, 8, 16})
    for (auto const& [rows, between, columns, bytes, shift] : {std::array<std::int64_t, 5>{7, 1, 5, 1040, 0},
                                                               {3, 2, 11, 128, size},
                                                               {40, 1, 50, 192, 0},
                                                               {5, 1, 3, 2000 + size, size}}) {
      auto const p = permutation(std::array{std::int64_t(2), rows, between, columns, bytes / size}, {},
                                 std::array<std::int64_t, 5>{0, 3, 2, 1, 4}, size);
      auto const start = std::size_t(shift);
      auto const plan = plan_boxes(exchange_of(refit_elements(canonical(p), aligned_by(start, start))).value(), h200_model());
      cases.push_back({p, {.steps = {inplace_step(plan.value())}}, start, start});
    }
  return cases;
}

}  // namespace

problem family_facts::small() const { return permutation(shape, {}, axes, each); }

std::vector<family_facts> const& kernel_facts() {
  static std::vector<family_facts> const facts{
      {.name = "rung", .shape = {128, 128}, .axes = {1, 0}, .bytes = {1, 2.5}},  // threads outside the matrix count in part
      {.name = "small", .cases = small_cases, .shape = {128, 128}, .axes = {1, 0}, .bytes = {1, 2.1}},
      {.name = "flat", .cases = flat_cases, .shape = {16, 32, 18}, .axes = {2, 1, 0}, .bytes = {0.9, 1.1}, .sectors = {0.5, 2}},
      {.name = "direct",
       .cases = direct_cases,
       .shape = {16, 16, 64},
       .axes = {1, 0, 2},
       .bytes = {0.99, 1.3},  // DRAM moves more than the bytes of short runs
       .sectors = kExact,
       .wavefronts = kExact,
       .instructions = kInstructions},
      {.name = "planes",
       .cases = planes_cases,
       .shape = {2, 32, 64, 3},
       .axes = {0, 3, 1, 2},
       .each = {element_type::u8, element_type::f32},
       .bytes = kExact,
       .sectors = {0.55, 0.75},  // a sector of pixels counts once, but each plane loads it
       .wavefronts = kExact,
       .instructions = kInstructions},
      {.name = "tiled",
       .cases = tiled_cases,
       .shape = {8, 16, 64},
       .axes = {2, 1, 0},
       .each = 8,
       .bytes = {0.99, 1.1},
       .sectors = {0.5, 1.9},  // with lines of the source and runs
       .instructions = kInstructions},
      {.name = "convert",
       .cases = convert_cases,
       .shape = {128, 256},
       .axes = {1, 0},
       .each = {element_type::i16, element_type::i16, -1},
       .bytes = {0.95, 1.1},
       .sectors = {1, 1.6},
       .instructions = kInstructions},
      {.name = "interleave",
       .cases = interleave_cases,
       .shape = {4096, 4},
       .axes = {1, 0},
       .bytes = {0.99, 1.1},
       .sectors = {0.99, 1.1},
       .wavefronts = {1, 1.7},
       .instructions = kInstructions},
      {.name = "unaligned",
       .cases = unaligned_cases,
       .shape = {251, 261},
       .axes = {1, 0},
       .each = 1,
       .bytes = {0.9, 1.05},
       .sectors = {0.95, 1.3},
       .wavefronts = {0.09, 0.25},  // not all counted, because they do not limit this family
       .instructions = kInstructions},
      {.name = "gather",
       .cases = gather_cases,
       .shape = {8, 16, 128},
       .axes = {2, 1, 0},
       .bytes = {0.8, 1.1},
       .sectors = {0.95, 1.2},
       .wavefronts = {1, 2.1},  // estimated from one load of each vector
       .instructions = kInstructions},
      {.name = "swap", .cases = swap_cases, .shape = {128, 128}, .axes = {1, 0}, .bytes = kExact},
      {.name = "panels", .cases = panels_cases, .shape = {2, 32, 4, 64}, .axes = {0, 2, 1, 3}, .bytes = kExact},
      {.name = "boxes", .cases = boxes_cases, .shape = {4, 8, 4, 128}, .axes = {0, 2, 1, 3}, .bytes = kExact}};
  return facts;
}

std::vector<std::string> program_families() {
  std::vector<std::string> names;
  for (auto const& each : kRungs) names.emplace_back(each.name);
  for (auto const& each : kernel_facts())
    if (each.cases) names.emplace_back(each.name);
  return names;
}

std::vector<program_case> program_cases(std::string const& family) {
  for (auto const& each : kernel_facts())
    if (each.cases && each.name == family) return each.cases();
  return rung_cases(rung_named(family).value());
}

}  // namespace cornerturn::test
