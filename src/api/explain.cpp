#include "cornerturn/explain.hpp"

#include <algorithm>

#include "api/ladder.hpp"
#include "base/refuse.hpp"
#include "block/sizes.hpp"
#include "cornerturn/ladder.hpp"
#include "cornerturn/text.hpp"
#include "engine/host/host.hpp"
#include "explain/buffers.hpp"
#include "explain/findings.hpp"
#include "explain/instructions.hpp"
#include "explain/predict.hpp"
#include "explain/tile_threads.hpp"
#include "kernel/rung/plan.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kMostMatrixBytes = std::int64_t(1) << 62;

/// The given pitch, or the dense pitch for 0. Throws `error` for a pitch shorter than a row.
std::int64_t expect_pitch(std::string_view name, std::int64_t pitch, std::int64_t row, std::int64_t rows, int element_size) {
  if (pitch == 0) pitch = row;
  if (pitch < row) refuse(name, pitch, fmt::format("at least the row's {} elements", row));
  if (pitch > kMostMatrixBytes / element_size / rows)
    refuse({name, "rows x {}"}, fmt::format("{} x {}", rows, pitch), "at most 2^62 bytes");
  return pitch;
}

job job_of(rung kernel, explain_options const& options, int element_size) {
  bool const straight = info_of(kernel).is_copy;
  auto const row = straight ? options.cols : options.rows, rows = straight ? options.rows : options.cols;
  return {.rows = options.rows,
          .cols = options.cols,
          .source_pitch = expect_pitch("source_pitch", options.source_pitch, options.cols, options.rows, element_size),
          .destination_pitch = expect_pitch("destination_pitch", options.destination_pitch, row, rows, element_size)};
}

/// The job that the ladder runs: a dense copy is one row.
job as_in_ladder(rung kernel, job const& shape) {
  bool const dense = shape.source_pitch == shape.cols && shape.destination_pitch == shape.cols;
  return kernel == rung::copy && dense ? job{.rows = 1, .cols = shape.rows * shape.cols} : shape;
}

/// The reason why one side of global memory is not accessed in 16-byte vectors; empty if vectors are possible.
std::string why_no_vectors(explain_options const& options, rung_plan const& chosen, bool destination) {
  auto const& shape = chosen.shape;
  auto const pitch = (destination ? shape.destination_pitch : shape.source_pitch) * chosen.element_size;
  auto const align = destination ? options.destination_align : options.source_align;
  auto const side = destination ? "destination" : "source";
  if (shape.rows > 1 && pitch % kUnitBytes)
    return fmt::format("the {}'s pitch of {} is no multiple of {}", side, count_text(pitch, "byte"), kUnitBytes);
  if (align % kUnitBytes) return fmt::format("the {} is aligned to {} only", side, count_text(align, "byte"));
  return "";
}

/// Advice on a bank conflict in a tile that is padded or swizzled already; empty for other tiles.
std::string advice_on(memory_instruction const& each, rung_plan const& chosen, std::vector<tile_map> const& tiles) {
  if (each.space != memory_space::shared || tiles.size() != 1) return "";
  auto const& tile = tiles.front();
  bool const padded = std::ranges::max(tile.offsets) >= std::int64_t(tile.offsets.size());
  if (!padded && tile.unswizzled.empty()) return "";
  auto const done = fmt::format("the tile is {} already", padded ? "padded" : "swizzled");
  if (!each.store && each.bytes < chosen.store_bytes())
    return fmt::format(
        "{}, which separates consecutive rows; these lanes gather {} each and begin {} rows apart: transpose vectors in "
        "registers, as vec-both does",
        done, count_text(chosen.store_bytes(), "byte"), chosen.widths.destination);
  bool const whole = std::ranges::all_of(worst_sample(each).lanes, &lane_access::active);
  return whole ? "" : done + ", and these lanes meet only where the matrix ends within a tile";
}

explanation explain_rung(rung kernel, explain_options const& options) {
  int const size = type_size(options.type);
  if (options.rows < 1) refuse("rows", options.rows, "1 or more");
  if (options.cols < 1) refuse("cols", options.cols, "1 or more");
  expect_aligns(options.source_align, options.destination_align, size);
  auto const shape = job_of(kernel, options, size);

  explanation result{.rung = std::string(name_of(kernel)), .idea = std::string(info_of(kernel).idea)};
  result.is_copy = info_of(kernel).is_copy;
  result.rows = options.rows, result.cols = options.cols;
  result.type = options.type, result.element_size = size;
  result.source_pitch = shape.source_pitch, result.destination_pitch = shape.destination_pitch;
  result.source_align = options.source_align, result.destination_align = options.destination_align;
  rung_plan chosen;
  try {
    chosen = plan_rung(kernel, as_in_ladder(kernel, shape), size,
                       {std::min(16, options.source_align), std::min(16, options.destination_align)});
  } catch (error const& refused) {
    result.unavailable = refused.what();
    return result;
  }
  result.tile = fmt::format("{}x{}", chosen.tile.rows, chosen.tile.cols);
  result.threads = chosen.tile.threads;
  result.blocks = chosen.blocks;

  auto const source = buffer_address(options.source_align);
  auto launch = host::record_launch(chosen, source, buffer_address(options.destination_align));
  result.classes = int(launch.blocks.size());
  result.instructions = instructions_of(launch.blocks, kBufferOrigin);
  std::vector<remark> remarks(result.instructions.size());
  for (std::size_t i = 0; i < remarks.size(); ++i) {
    remarks[i].advice = advice_on(result.instructions[i], chosen, launch.tiles);
    remarks[i].why_no_vectors = why_no_vectors(options, chosen, result.instructions[i].store);
  }
  result.findings = findings_of(result.instructions, remarks);
  auto const& first = launch.blocks.front().record;
  result.tiles = std::move(launch.tiles);
  for (auto& tile : result.tiles) name_threads(tile, first, size);
  if (result.tiles.empty()) result.tiles.push_back(loaded_tile(chosen, first, source));
  // Consecutive blocks complete each other's sectors of the destination if they are neighbours along its rows.
  bool const sectors_merge = info_of(kernel).is_copy == (info_of(kernel).order == raster::source_rows);
  auto const [ratio, limit] = predict(result.instructions, shape_of(launch.blocks, result.threads, sectors_merge), h200_model());
  result.predicted = ratio;
  result.limit = limit;
  result.gpu = h200_model().name;
  return result;
}

}  // namespace

explanation explain(std::string_view rung, explain_options const& options) {
  return explain_rung(kernel_named(rung, "rung"), options);
}

std::vector<explanation> explain_all(explain_options const& options) {
  std::vector<explanation> result;
  for (auto const& each : kRungs) result.push_back(explain_rung(each.id, options));
  return result;
}

}  // namespace cornerturn
