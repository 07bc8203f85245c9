#include "plan/cpu_skinny.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "kernel/round.hpp"
#include "plan/cpu_sizes.hpp"
#include "plan/one_exchange.hpp"
#include "problem/canonical.hpp"
#include "problem/print.hpp"

namespace cornerturn {
namespace {

constexpr auto kAll = std::numeric_limits<std::int64_t>::max();

/// Plans panels that are dense boxes in a thread's memory: `copy` fills one, `store` empties it.
cpu_panels panels_between(problem const& copy, problem const& store, int threads) {
  return {.copy = plan_cpu(canonical(copy), {.cached = kAll, .threads = threads}),
          .transpose = plan_cpu(canonical(store), {.cached = 0, .direct = true, .threads = threads}),
          .shape = {}};
}

/// The chunks of a rectangle's longer side.
struct chunking {
  std::int64_t length = 0, count = 0, left = 0;  ///< indices of a chunk, chunks, and indices that remain
};

/// Chooses chunks whose panels fit into a cache, if possible such that nothing remains. `index_bytes` is the size of a panel with
/// one index of the longer side, `run_bytes` that of a run.
std::optional<chunking> chunks_of(std::int64_t longer, std::int64_t shorter, std::int64_t index_bytes, std::int64_t run_bytes) {
  for (auto const most_bytes : {kCpuPanel, kLongestCpuPanel}) {
    auto const most = std::min(longer / 2, most_bytes / index_bytes), line = std::max<std::int64_t>(1, kCacheLine / run_bytes);
    if (most < line || longer / most * shorter > kLongestCpuPanel / (2 * kCacheLine)) continue;
    chunking result{most / line * line};
    for (auto length = most; length > most / 4; --length)
      if (longer % length == 0 && length * run_bytes % kCacheLine == 0) {
        result.length = length;
        break;
      }
    result.count = longer / result.length, result.left = longer % result.length;
    return result;
  }
  return std::nullopt;
}

/// Plans the steps of a skinny rectangle. All members count elements unless their names say otherwise.
class skinny_steps {
 public:
  skinny_steps(exchange const& groups, std::int64_t element_size, chunking const& chunks, int threads)
      : size_(element_size),
        threads_(threads),
        chunks_(chunks),
        is_tall_(groups.rows > groups.columns),
        batch_(groups.batch),
        shorter_(std::min(groups.rows, groups.columns)),
        run_(groups.run),
        row_(std::max(groups.rows, groups.columns) * run_),
        array_(shorter_ * row_),
        chunk_(chunks.length * run_),
        kept_(chunks.count * chunk_),
        left_(chunks.left * run_) {}

  std::optional<cpu_skinny> all() {
    if (left_ > 0) result_.way.workspace_bytes = batch_ * shorter_ * left_ * size_;
    result_.shifts = left_ > 0;
    if (left_ > 0) add_save();
    // Arrays without a remainder are dense, so one step serves all of them.
    auto const arrays_at_once = left_ > 0 ? 1 : batch_;
    for (std::int64_t first = 0; first < batch_; first += arrays_at_once)
      if (!add_array(first * array_, arrays_at_once)) return std::nullopt;
    if (left_ > 0) add_restore();
    return std::move(result_);
  }

 private:
  bool add_array(std::int64_t offset, std::int64_t arrays) {
    if (!is_tall_ && left_ > 0)
      for (std::int64_t row = 1; row < shorter_; ++row) add_shift(offset, row);
    if (is_tall_) add_chunks(offset, arrays);
    auto const boxes = plan_cpu_boxes({.batch = arrays,
                                       .rows = is_tall_ ? chunks_.count : shorter_,
                                       .columns = is_tall_ ? shorter_ : chunks_.count,
                                       .run = chunk_},
                                      size_, offset, threads_);
    if (!boxes) return false;
    result_.part_bytes = boxes->part;
    result_.way.steps.push_back(inplace_step(*boxes));
    if (!is_tall_) add_chunks(offset, arrays);
    if (is_tall_ && left_ > 0)
      for (auto row = shorter_ - 1; row > 0; --row) add_shift(offset, row);
    return true;
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
    result_.way.steps.push_back(inplace_step(plan_cpu_panels(panel, threads_)));
  }

  /// Moves a long row from where the chunks have it to where the whole array has it, or back.
  void add_shift(std::int64_t offset, std::int64_t row) {
    auto const packed = offset + row * kept_, apart = offset + row * row_;
    problem const chunk{.modes = {{chunk_, 1, 1}}, .element_size = size_};
    auto copy = chunk, store = chunk;
    copy.source_offset = is_tall_ ? packed : apart, store.destination_offset = is_tall_ ? apart : packed;
    auto step = panels_between(copy, store, threads_);
    step.count = chunks_.count;
    step.source_stride = step.destination_stride = step.panel_bytes = chunk_ * size_;
    step.read_before = std::min(step.count - 1, ceil_div(apart - packed, chunk_));
    step.is_descending = is_tall_;
    step.shape = fmt::format("{} of {} are moved by {}", count_text(chunks_.count, "chunk"), count_text(chunk_ * size_, "byte"),
                             count_text((apart - packed) * size_, "byte"));
    result_.way.steps.push_back(inplace_step(std::move(step)));
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
    result_.way.steps.push_back(std::move(copy));
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
    result_.way.steps.push_back(std::move(copy));
  }

  std::int64_t size_;  ///< bytes of an element
  int threads_;
  chunking chunks_;
  bool is_tall_;  ///< true if the source has more rows than columns
  std::int64_t batch_, shorter_, run_;
  std::int64_t row_, array_;   ///< a long row, and an array of the batch
  std::int64_t chunk_, kept_;  ///< a chunk of a long row, and all chunks of one
  std::int64_t left_;          ///< the end of a long row that is in no chunk
  cpu_skinny result_;
};

}  // namespace

std::optional<cpu_skinny> plan_cpu_skinny(exchange const& groups, std::int64_t element_size, int threads,
                                          std::int64_t most_workspace) {
  if (groups.between > 1 || groups.rows == groups.columns) return std::nullopt;
  auto const run_bytes = groups.run * element_size;
  auto const longer = std::max(groups.rows, groups.columns), shorter = std::min(groups.rows, groups.columns);
  auto const chunks = chunks_of(longer, shorter, shorter * run_bytes, run_bytes);
  if (!chunks) return std::nullopt;
  auto result = skinny_steps(groups, element_size, *chunks, threads).all();
  return result && result->way.workspace_bytes <= most_workspace ? std::move(result) : std::nullopt;
}

}  // namespace cornerturn
