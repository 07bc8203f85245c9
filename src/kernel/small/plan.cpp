#include "kernel/small/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/round.hpp"
#include "cornerturn/text.hpp"
#include "kernel/rung/fold.hpp"
#include "problem/int_limit.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kLongestTile = 64;  ///< elements; a thread computes the address of a row or column that ends outside
constexpr std::int64_t kOfBytes = 2;    ///< the divisor of the most blocks for bytes: above it, larger tiles of others are faster
constexpr std::int64_t kLeastSide = 9;  ///< narrower matrices would leave most of a tile empty; `interleave` moves them

/// The modes of a job's matrices, as long as the last tiles reach.
std::array<mode, 3> reach_of(job const& shape) {
  return {{{shape.batch, shape.source_batch_stride, shape.destination_batch_stride},
           {shape.rows + kLongestTile + 1, shape.source_pitch, 1},
           {shape.cols + kLongestTile + 1, 1, shape.destination_pitch}}};
}

/// The largest power of two, in bytes, that divides the address and length of every row.
int common_bytes(int aligned, int element_size, std::int64_t offset, std::int64_t row, std::int64_t pitch,
                 std::int64_t batch_stride) {
  auto const elements = std::gcd(std::gcd(offset, row), std::gcd(pitch, batch_stride));
  return int(std::gcd(std::int64_t(aligned), elements * element_size));
}

std::optional<small_plan> plan_form(int form, problem const& p, job const& shape, gpu_model const& gpu) {
  small_plan result{.job = {}, .form = form, .element_size = int(shared_element_size(p))};
  auto const& tile = result.shape().tile;
  auto const down = ceil_div(shape.rows, tile.rows), across = ceil_div(shape.cols, tile.cols);
  auto const most =
      std::min<std::int64_t>(std::int64_t(gpu.small.blocks) / (result.element_size == 1 ? kOfBytes : 1), grid_shape::kMostRows);
  if (down > most || across > most / down || shape.batch > most / (down * across)) return {};
  result.job = {.rows = int(shape.rows),
                .cols = int(shape.cols),
                .source_pitch = int(shape.source_pitch),
                .destination_pitch = int(shape.destination_pitch),
                .source_batch_stride = int(shape.source_batch_stride),
                .destination_batch_stride = int(shape.destination_batch_stride),
                .tiles = {int(down), int(across), int(shape.batch)}};
  result.blocks = int(result.job.tiles.blocks());
  result.source_offset = p.source_offset, result.destination_offset = p.destination_offset;
  return result;
}

}  // namespace

std::string_view idea_of(small_plan const& plan) {
  return plan.shape().load > 1
             ? "few tiles: a thread loads its few vectors at once and scatters their elements into shared memory"
             : "few tiles of any alignment: a thread loads its few elements at once and passes them through shared memory";
}

std::string describe(small_plan const& plan) {
  auto const& [tile, load, store] = plan.shape();
  auto const& job = plan.job;
  auto const accesses = load == store
                            ? fmt::format("{}-byte loads and stores", load * plan.element_size)
                            : fmt::format("{}-byte loads, {}-byte stores", load * plan.element_size, store * plan.element_size);
  return fmt::format("small {}x{}, {} threads, {}: {} x {} x {} of {}", tile.rows, tile.cols, tile.threads, accesses, job.tiles.z,
                     job.rows, job.cols, count_text(plan.element_size, "byte"));
}

std::vector<small_plan> small_plan::candidates(problem const& refitted, alignment const& aligned, gpu_model const& gpu) {
  auto const seen = fold(refitted);
  if (!seen || !seen->transposed || !has_int_offsets(reach_of(seen->shape))) return {};
  auto const& shape = seen->shape;
  int const size = int(shared_element_size(refitted));
  int const from = common_bytes(aligned.source, size, refitted.source_offset, shape.cols, shape.source_pitch,
                                shape.source_batch_stride),
            to = common_bytes(aligned.destination, size, refitted.destination_offset, shape.rows, shape.destination_pitch,
                              shape.destination_batch_stride);
  std::vector<small_plan> result;
  auto const forms = small_forms_of(size);
  for (int i = 0; i < std::ssize(forms); ++i) {
    auto const& form = forms[std::size_t(i)];
    if (from % (form.load * size) || to % (form.store * size)) continue;
    if (form.load == 1 && std::min(shape.rows, shape.cols) < kLeastSide) continue;
    if (auto const plan = plan_form(i, refitted, shape, gpu)) result.push_back(*plan);
  }
  return result;
}

plan_decisions<small_plan> small_plan::decisions() {
  return {
      {element_decision<small_plan>(),
       {"accesses",
        {"vectors", "stored words", "elements"},
        [](small_plan const& plan) { return plan.shape().load > 1    ? 0
                                            : plan.shape().store > 1 ? 1
                                                                     : 2; }},
       {"threads", {"128 threads", "256 threads"}, [](small_plan const& plan) { return plan.shape().tile.threads == 256; }},
       {"batch", {"matrix", "batch"}, [](small_plan const& plan) { return plan.job.tiles.z > 1; }},
       {"tiles", {"one tile", "several tiles"}, [](small_plan const& plan) { return plan.job.tiles.x * plan.job.tiles.y > 1; }}},
      {{"8 bytes", {"vectors"}, "an element is a vector"},
       {"16 bytes", {"vectors"}, "an element is longer than a vector"},
       {"stored words", {"4 bytes", "8 bytes", "16 bytes"}, "an element is at least a word"},
       {"stored words", {"128 threads"}, "they have one form"}}};
}

}  // namespace cornerturn
