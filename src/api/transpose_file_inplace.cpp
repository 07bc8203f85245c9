#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <future>
#include <optional>
#include <utility>

#include "api/memory.hpp"
#include "api/transpose_file.hpp"
#include "base/refuse.hpp"
#include "cornerturn/error.hpp"
#include "engine/file/file_permutation.hpp"
#include "engine/file/piece_in_memory.hpp"
#include "file/array.hpp"
#include "file/journal.hpp"
#include "file/state.hpp"
#include "file/updated_file.hpp"
#include "problem/canonical.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

/// The number of buffers of a unit's size: the packed and the moved elements of a part, the whole unit, the unit that is written
/// meanwhile, and the bytes that it replaces.
constexpr std::int64_t kBuffers = piece_buffers::kCount + 3;

std::vector<std::int64_t> shape_after(file_state const& state) {
  std::vector<std::int64_t> result;
  for (auto const axis : state.axes) result.push_back(state.shape[std::size_t(axis)]);
  return result;
}

/// Plans with the smallest possible units within the limits. Throws `error` if the memory is too small. Its message has a number
/// of bytes that is enough; the search for the least number takes seconds for many axes.
file_plan planned(problem const& canonical, std::int64_t memory, file_limits const& limits) {
  auto const bytes = bytes_of(canonical), most = memory / kBuffers;
  auto const first = std::min(most, std::max(bytes / limits.units, limits.least_unit));
  for (auto unit = first;; unit = std::min(2 * unit, most)) {
    if (auto plan = plan_in_file(canonical, unit, limits)) return *plan;
    if (unit == most) break;
  }
  auto enough = 2 * std::max<std::int64_t>(1, most);  // units of the array's size have a plan
  while (!plan_in_file(canonical, enough, limits)) enough *= 2;
  refuse("memory", memory, fmt::format("more; {} bytes are enough for this array in place", enough * kBuffers));
}

/// The state of a permutation within a file, without its plan. `header_before` is empty if the file is raw.
file_state state_of(npy_header const& header, std::string header_before, updated_file const& file, file_options const& options) {
  file_state state{.file_bytes = file.size(),
                   .data_offset = header.data_offset,
                   .array_bytes = header.bytes,
                   .shape = header.shape,
                   .axes = axes_given(options, header.shape.size()),
                   .plan = {},
                   .is_raw = options.raw.has_value(),
                   .dtype = options.raw ? options.raw->type : dtype_name(header),
                   .header_before = std::move(header_before),
                   .header_after = {}};
  if (state.is_raw) return state;
  auto after = npy_preamble_in_place(header, shape_after(state));
  if (!after)
    throw error(error_kind::file,
                fmt::format("{} cannot be transposed in place: its header of {} bytes has no room for the new shape",
                            file.path().string(), header.data_offset));
  bool const is_same = header.order == storage_order::c && shape_after(state) == state.shape;
  state.header_after = is_same ? state.header_before : std::move(*after);
  return state;
}

/// The problem that moves elements within a file; nothing if no element moves.
std::optional<problem> moved_by(npy_header const& header, std::vector<std::int64_t> const& axes) {
  if (header.bytes == 0) return std::nullopt;
  auto moved = canonical(permutation(header.shape, dense_strides(header.shape, header.order), axes, header.element_size));
  return std::ranges::all_of(moved.modes, stays) ? std::nullopt : std::optional(std::move(moved));
}

/// The same permutation of a raw array in C order: an array in Fortran order is one with its modes reversed.
file_options in_c_order(file_options options) {
  if (!options.raw || !options.raw->is_fortran) return options;
  auto axes = axes_given(options, options.raw->shape.size());
  for (auto& each : axes) each = std::ssize(axes) - 1 - each;
  options.axes = std::move(axes);
  std::ranges::reverse(options.raw->shape);
  options.raw->is_fortran = false;
  return options;
}

/// The state before the first unit.
file_state first_state(updated_file const& file, file_options const& options, file_limits const& limits) {
  auto const header = header_given(options, input_file(file.path()));
  std::string before(options.raw ? 0 : std::size_t(header.data_offset), '\0');
  file.read(0, before.data(), std::ssize(before));
  auto state = state_of(header, std::move(before), file, options);
  if (auto const moved = moved_by(header, state.axes))
    state.plan = planned(*moved, options.memory ? options.memory : usual_memory(*moved, options.processor, limits), limits);
  return state;
}

/// Throws `error` if a journal is of a call with other arguments or on a file of another size.
void expect_same(file_state const& state, updated_file const& file, file_options const& options,
                 std::filesystem::path const& journal_name) {
  if (state.file_bytes != file.size())
    throw error(error_kind::file, fmt::format("{} has changed since cornerturn transpose --inplace was stopped: it had {} bytes "
                                              "and has {}; if it is whole, delete {}",
                                              file.path().string(), state.file_bytes, file.size(), journal_name.string()));
  bool const is_same = state.is_raw == options.raw.has_value() && state.axes == axes_given(options, state.shape.size()) &&
                       (!state.is_raw || (state.shape == options.raw->shape && state.dtype == options.raw->type));
  if (!is_same)
    throw error(
        error_kind::file,
        fmt::format("{} is half permuted: {} is of a transpose with --axes {} of an array of shape ({}){}, and only a call "
                    "with these arguments finishes it",
                    file.path().string(), journal_name.string(), fmt::join(state.axes, ","), fmt::join(state.shape, ", "),
                    state.is_raw ? " in a raw file of " + state.dtype : ""));
}

/// The state in a journal. Throws `error` if a call with the same arguments cannot have made the journal: the arguments and the
/// old header determine all members except the plan, and the plan must permute as the arguments say.
file_state state_in(journal const& log, std::string const& name, updated_file const& file, file_options const& options) {
  auto const found = state_from(log.description(), name);
  expect_same(found, file, options, name);
  auto const header =
      options.raw ? header_given(options, input_file(file.path())) : read_npy_header(found.header_before, name, file.size());
  auto state = state_of(header, found.header_before.substr(0, std::size_t(header.data_offset)), file, options);
  auto const moved = moved_by(header, state.axes);
  bool const is_planned = moved ? is_plan_of(*moved, found.plan) : found.plan == file_plan{};
  state.plan = found.plan;
  if (!is_planned || to_bytes(state) != log.description() || file_permutation::sizes_for(state) != log.sizes())
    throw error(error_kind::file, fmt::format("{} is damaged", name));
  return state;
}

}  // namespace

file_report transpose_file_inplace(std::filesystem::path const& path, file_options const& options) {
  return transpose_file_inplace(path, options, {});
}

file_report transpose_file_inplace(std::filesystem::path const& path, file_options const& given, file_limits const& limits) {
  if (changes_elements(given))
    refuse("dtype, alpha, conjugate or saturate", "given", "left out, because elements do not change in place");
  if (!given.flip.empty()) refuse("flip", fmt::format("({})", fmt::join(given.flip, ", ")), "left out in place");
  if (given.format) refuse("format", "given", "left out in place");
  auto const options = in_c_order(given);
  refuse_missing_gpu(options.processor);
  updated_file file(path);
  auto const name = journal::name_for(file.path());
  auto log = journal::open(name);
  bool const has_units = log && log->has_units();
  auto const stopped = has_units ? std::optional(state_in(*log, name.string(), file, options)) : std::nullopt;
  auto const last = has_units ? log->last() : std::nullopt;
  // Before the first unit nothing has changed, so a journal without a complete unit is made anew.
  auto const state = last ? *stopped : first_state(file, options, limits);
  file_report report{
      .shape = shape_after(state), .dtype = state.dtype, .bytes = state.array_bytes, .seconds = 0, .processor = "cpu"};
  if (!last && log) log->remove();
  if (!last && state.plan.exchanges.empty() && state.header_before == state.header_after) return report;
  if (!last) log = journal::create(name, to_bytes(state), file_permutation::sizes_for(state));
  file_permutation whole(file, *log, state, options.processor);
  last ? whole.resume(*last) : whole.begin();
  auto const first = last ? last->number + 1 : 0;
  report.moved_bytes = whole.bytes_from(first);
  std::future<std::vector<std::byte>> next;
  for (auto number = first; number < whole.size(); ++number) {
    auto bytes = next.valid() ? next.get() : whole.unit(number);
    // If no thread can be started, the unit is computed at its first use.
    if (whole.may_be_early(number + 1))
      next = std::async(std::launch::async | std::launch::deferred, [&whole, number] { return whole.unit(number + 1); });
    whole.write(number, std::move(bytes));
    if (options.progress) options.progress(double(number + 1 - first) / double(whole.size() - first), report.moved_bytes);
  }
  log->remove();
  report.seconds = whole.mover().seconds();
  report.processor = whole.mover().processor();
  return report;
}

}  // namespace cornerturn
