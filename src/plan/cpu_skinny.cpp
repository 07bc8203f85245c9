#include "plan/cpu_skinny.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "kernel/round.hpp"
#include "plan/cpu_boxes.hpp"
#include "plan/cpu_sizes.hpp"
#include "plan/divisors.hpp"
#include "plan/one_exchange.hpp"
#include "problem/canonical.hpp"
#include "problem/print.hpp"

namespace cornerturn {
namespace {

constexpr auto kAll = std::numeric_limits<std::int64_t>::max();

/// Chooses chunks whose panels fit into a cache, if possible such that nothing remains. `index_bytes` is the size of a panel with
/// one index of the longer side, `run_bytes` that of a run.
std::optional<chunking> chunks_of(std::int64_t longer, std::int64_t shorter, std::int64_t index_bytes, std::int64_t run_bytes) {
  for (auto const most_bytes : {kCpuPanel, kLongestCpuPanel}) {
    auto const most = std::min(longer / 2, most_bytes / index_bytes), line = std::max<std::int64_t>(1, kCacheLine / run_bytes);
    if (most < line || longer / most * shorter > kLongestCpuPanel / (2 * kCacheLine)) continue;
    chunking result{most / line * line};
    // Chunks that leave nothing and consist of whole cache lines have a divisor of the longer side as their length.
    auto const whole = kCacheLine / std::gcd(kCacheLine, run_bytes);
    if (whole <= most && longer % whole == 0)
      if (auto const length = whole * divisors_of(longer / whole, most / whole).back(); length > most / 4) result.length = length;
    result.count = longer / result.length, result.left = longer % result.length;
    return result;
  }
  return std::nullopt;
}

bool is_tall(cpu_skinny const& plan) { return plan.groups.rows > plan.groups.columns; }

/// Plans the exchange of the chunks of `arrays` arrays. `offset` counts elements to the first of them.
std::optional<cpu_boxes> boxes_of(cpu_skinny const& plan, std::int64_t offset, std::int64_t arrays, int threads) {
  auto const shorter = std::min(plan.groups.rows, plan.groups.columns);
  return plan_cpu_boxes({.batch = arrays,
                         .rows = is_tall(plan) ? plan.chunks.count : shorter,
                         .columns = is_tall(plan) ? shorter : plan.chunks.count,
                         .run = plan.chunks.length * plan.groups.run},
                        plan.element_size, offset, threads);
}

/// Plans the steps of a skinny rectangle. All members count elements unless their names say otherwise.
class skinny_steps {
 public:
  skinny_steps(cpu_skinny const& plan, int threads)
      : plan_(plan),
        size_(plan.element_size),
        threads_(threads),
        chunks_(plan.chunks),
        is_tall_(is_tall(plan)),
        batch_(plan.groups.batch),
        shorter_(std::min(plan.groups.rows, plan.groups.columns)),
        run_(plan.groups.run),
        row_(std::max(plan.groups.rows, plan.groups.columns) * run_),
        array_(shorter_ * row_),
        chunk_(chunks_.length * run_),
        kept_(chunks_.count * chunk_),
        left_(chunks_.left * run_) {
    result_.workspace_bytes = plan.workspace_bytes();
    if (left_ > 0) first_row_ = row_step();
  }

  candidate all() {
    if (left_ > 0) add_save();
    // Arrays without a remainder are dense, so one step serves all of them.
    auto const arrays_at_once = left_ > 0 ? 1 : batch_;
    for (std::int64_t first = 0; first < batch_; first += arrays_at_once) add_array(first * array_, arrays_at_once);
    if (left_ > 0) add_restore();
    return std::move(result_);
  }

 private:
  void add_array(std::int64_t offset, std::int64_t arrays) {
    if (!is_tall_ && left_ > 0)
      for (std::int64_t row = 1; row < shorter_; ++row) add_shift(offset, row);
    if (is_tall_) add_chunks(offset, arrays);
    result_.steps.push_back(inplace_step(boxes_of(plan_, offset, arrays, threads_).value()));
    if (!is_tall_) add_chunks(offset, arrays);
    if (is_tall_ && left_ > 0)
      for (auto row = shorter_ - 1; row > 0; --row) add_shift(offset, row);
  }

  /// The exchange within each chunk.
  void add_chunks(std::int64_t offset, std::int64_t arrays) {
    auto const length = chunks_.length;
    auto const rows = is_tall_ ? length : shorter_, columns = is_tall_ ? shorter_ : length, elements = rows * columns * run_;
    panels const panel{.rows = rows,
                       .columns = columns,
                       .run = run_,
                       .source_pitch = columns * run_,
                       .destination_pitch = rows * run_,
                       .source_stride = elements,
                       .destination_stride = elements,
                       .batch = {arrays * chunks_.count, elements},
                       .element_size = size_,
                       .offset = offset};
    result_.steps.push_back(inplace_step(plan_cpu_panels(panel, threads_)));
  }

  /// Moves a long row from where the chunks have it to where the whole array has it, or back.
  void add_shift(std::int64_t offset, std::int64_t row) {
    auto const packed = offset + row * kept_, apart = offset + row * row_, source = (is_tall_ ? packed : apart) * size_;
    auto step = first_row_;
    step.copy.load.offset += source, step.copy.load.begin += source, step.copy.load.end += source;
    step.transpose.store.offset += (is_tall_ ? apart : packed) * size_;
    step.read_before = std::min(step.count - 1, ceil_div(apart - packed, chunk_));
    step.shape = fmt::format("{} of {} are moved by {}", count_text(chunks_.count, "chunk"), count_text(chunk_ * size_, "byte"),
                             count_text((apart - packed) * size_, "byte"));
    result_.steps.push_back(inplace_step(std::move(step)));
  }

  /// A long row that is moved to itself. Rows that are moved differ from it in their offsets.
  cpu_panels row_step() const {
    auto const chunk = canonical({.modes = {{chunk_, 1, 1}}, .element_size = size_});
    cpu_panels result{.copy = plan_cpu(chunk, {.cached = kAll, .threads = threads_}),
                      .transpose = plan_cpu(chunk, {.cached = 0, .direct = true, .threads = threads_}),
                      .count = chunks_.count,
                      .shape = {}};
    result.source_stride = result.destination_stride = result.panel_bytes = chunk_ * size_;
    result.is_descending = is_tall_;
    return result;
  }

  void add_save() {
    auto const saved = shorter_ * left_;
    problem save{.modes = {{batch_, array_, saved}}, .element_size = size_};
    if (is_tall_) {
      save.modes.push_back({saved, 1, 1});
      save.source_offset = kept_ * shorter_;
    } else {
      save.modes.insert(save.modes.end(), {{shorter_, row_, left_}, {left_, 1, 1}});
      save.source_offset = kept_;
    }
    step copy{plan_cpu(canonical(save), {.threads = threads_})};
    copy.source = {buffer_role::destination}, copy.destination = {buffer_role::workspace};
    result_.steps.push_back(std::move(copy));
  }

  void add_restore() {
    auto const saved = shorter_ * left_;
    problem restore{.modes = {{batch_, saved, array_}}, .element_size = size_};
    if (is_tall_) {
      restore.modes.insert(restore.modes.end(), {{chunks_.left, shorter_ * run_, run_}, {shorter_, run_, row_}, {run_, 1, 1}});
      restore.destination_offset = kept_;
    } else {
      restore.modes.insert(restore.modes.end(), {{shorter_, left_, run_}, {chunks_.left, run_, shorter_ * run_}, {run_, 1, 1}});
      restore.destination_offset = kept_ * shorter_;
    }
    step copy{plan_cpu(canonical(restore), {.threads = threads_})};
    copy.source = {buffer_role::workspace}, copy.destination = {buffer_role::destination};
    result_.steps.push_back(std::move(copy));
  }

  cpu_skinny const& plan_;
  std::int64_t size_;  ///< bytes of an element
  int threads_;
  chunking chunks_;
  bool is_tall_;  ///< true if the source has more rows than columns
  std::int64_t batch_, shorter_, run_;
  std::int64_t row_, array_;   ///< a long row, and an array of the batch
  std::int64_t chunk_, kept_;  ///< a chunk of a long row, and all chunks of one
  std::int64_t left_;          ///< the end of a long row that is in no chunk
  cpu_panels first_row_;       ///< empty if nothing is left
  candidate result_;
};

}  // namespace

std::optional<cpu_skinny> plan_cpu_skinny(exchange const& groups, std::int64_t element_size, std::int64_t most_workspace) {
  if (groups.between > 1 || groups.rows == groups.columns) return std::nullopt;
  auto const run_bytes = groups.run * element_size;
  auto const longer = std::max(groups.rows, groups.columns), shorter = std::min(groups.rows, groups.columns);
  auto const chunks = chunks_of(longer, shorter, shorter * run_bytes, run_bytes);
  if (!chunks) return std::nullopt;
  constexpr std::int64_t kMostShifts = 256;  // each is a step of the plan
  if (chunks->left > 0 && groups.batch * (shorter - 1) > kMostShifts) return std::nullopt;
  cpu_skinny result{groups, element_size, *chunks};
  auto const boxes = boxes_of(result, 0, 1, 0);
  if (!boxes || result.workspace_bytes() > most_workspace) return std::nullopt;
  result.part_bytes = boxes->part;
  return result;
}

candidate steps_of(cpu_skinny const& plan, int threads) { return skinny_steps(plan, threads).all(); }

}  // namespace cornerturn
