#include "plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "problem/fail.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// One side of a job: `row` contiguous elements, `rows` times `pitch` apart, in batches.
struct side {
  std::int64_t row, rows, pitch, batch, batch_stride;
  int aligned, element_size;

  bool whole(std::int64_t elements) const { return elements * element_size % 16 == 0; }
  bool rows_begin_on_vectors() const {
    return aligned % 16 == 0 && (rows <= 1 || whole(pitch)) && (batch <= 1 || whole(batch_stride));
  }
  bool takes_vectors() const { return rows_begin_on_vectors() && whole(row); }
};

access_widths choose_widths(rung kernel, job const& shape, int element_size, alignment const& aligned) {
  if (!is_vector_rung(kernel)) return {};
  bool const straight = kernel == rung::copy;
  side const source{shape.cols,     shape.rows,  shape.source_pitch, shape.batch, shape.source_batch_stride,
                    aligned.source, element_size};
  side destination{shape.rows,          shape.cols,  shape.destination_pitch, shape.batch, shape.destination_batch_stride,
                   aligned.destination, element_size};
  if (straight) std::swap(destination.row, destination.rows);

  bool read = source.takes_vectors(), write = destination.takes_vectors();
  if (straight) {
    // A thread writes what it read, and moves what is left of a row element by element.
    read = write = source.rows_begin_on_vectors() && destination.rows_begin_on_vectors();
  } else if (kernel != rung::vec_both) {
    write = write && !read;
  }
  int const vector = vector_length(element_size);
  return {read ? vector : 1, write ? vector : 1};
}

/// A matrix narrower than this leaves most of a square tile empty; one element a thread along its long side does better.
constexpr std::int64_t kSkinny = 8;

rung choose_rung(folded const& seen) {
  if (!seen.transposed) return rung::copy;
  if (seen.shape.cols < kSkinny) return rung::naive_write;
  if (seen.shape.rows < kSkinny) return rung::naive_read;
  return rung::vec_both;
}

}  // namespace

alignment alignment_of(void const* source, void const* destination) {
  auto const of = [](void const* pointer) {
    return int(std::gcd(reinterpret_cast<std::uintptr_t>(pointer), std::uintptr_t(16)));
  };
  return {of(source), of(destination)};
}

plan plan_rung(rung kernel, job const& shape, int element_size, alignment const& aligned) {
  if (aligned.source % element_size)
    refuse("the source's alignment in bytes", aligned.source, fmt::format("a multiple of the element size, {}", element_size));
  if (aligned.destination % element_size)
    refuse("the destination's alignment in bytes", aligned.destination,
           fmt::format("a multiple of the element size, {}", element_size));
  plan result{.kernel = kernel, .element_size = element_size, .shape = shape};
  result.widths = choose_widths(kernel, shape, element_size, aligned);
  result.tile = tile_of(kernel, element_size, result.widths);
  result.tiles = ceil_div(shape.rows, result.tile.rows) * ceil_div(shape.cols, result.tile.cols) * shape.batch;
  return result;
}

std::optional<plan> plan_problem(problem const& canonical, alignment const& aligned) {
  auto const seen = fold(canonical);
  if (!seen) return std::nullopt;
  int const element_size = int(canonical.element_size);
  auto const shifted = [&](int bytes, std::int64_t offset) { return int(std::gcd(std::int64_t(bytes), offset * element_size)); };
  auto result =
      plan_rung(choose_rung(*seen), seen->shape, element_size,
                {shifted(aligned.source, canonical.source_offset), shifted(aligned.destination, canonical.destination_offset)});
  result.source_offset = canonical.source_offset;
  result.destination_offset = canonical.destination_offset;
  return result;
}

std::string describe(plan const& plan) {
  auto const accesses = plan.load_bytes() == plan.store_bytes()
                            ? fmt::format("{}-byte loads and stores", plan.load_bytes())
                            : fmt::format("{}-byte loads, {}-byte stores", plan.load_bytes(), plan.store_bytes());
  return fmt::format("{} {}x{}, {} threads, {}: {} x {} x {} of {} byte{}", name_of(plan.kernel), plan.tile.rows, plan.tile.cols,
                     plan.tile.threads, accesses, plan.shape.batch, plan.shape.rows, plan.shape.cols, plan.element_size,
                     plan.element_size == 1 ? "" : "s");
}

}  // namespace cornerturn
