#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <future>
#include <memory>
#include <span>

#include "api/file_array.hpp"
#include "api/file_state.hpp"
#include "api/memory.hpp"
#include "api/piece_in_memory.hpp"
#include "cornerturn/error.hpp"
#include "cornerturn/file.hpp"
#include "file/journal.hpp"
#include "file/runs.hpp"
#include "file/updated_file.hpp"
#include "problem/canonical.hpp"
#include "problem/fail.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

/// Buffers of a unit's size: the packed and the moved elements of a part, the whole unit, and the unit that is written meanwhile.
constexpr std::int64_t kBuffers = piece_buffers::kCount + 2;

/// An array has about this many units, unless they would be smaller than a megabyte or larger than the memory. A unit waits for
/// the disk twice. The journal has room for two.
constexpr std::int64_t kUnits = 32, kLeastUnit = 1 << 20;

std::vector<std::int64_t> shape_after(file_state const& state) {
  std::vector<std::int64_t> result;
  for (auto const axis : state.axes) result.push_back(state.shape[std::size_t(axis)]);
  return result;
}

/// Plans with units that are as small as possible within the limits. Throws `error` if the memory is too little. Its message has
/// a number of bytes that is enough, because the search for the least one takes seconds for many axes.
file_plan planned(problem const& canonical, std::int64_t memory) {
  auto const bytes = bytes_of(canonical), most = memory / kBuffers;
  auto const first = std::min(most, std::max(bytes / kUnits, kLeastUnit));
  for (auto unit = first;; unit = std::min(2 * unit, most)) {
    if (auto plan = plan_in_file(canonical, unit)) return *plan;
    if (unit == most) break;
  }
  auto enough = 2 * std::max<std::int64_t>(1, most);  // units of the array's size have a plan
  while (!plan_in_file(canonical, enough)) enough *= 2;
  refuse("memory", memory, fmt::format("more; {} bytes are enough for this array in place", enough * kBuffers));
}

/// The state before the first unit.
file_state first_state(updated_file const& file, file_options const& options) {
  input_file const input(file.path());
  auto const header = header_given(options, input);
  file_state state{.inode = file.inode(),
                   .file_bytes = file.size(),
                   .data_offset = header.data_offset,
                   .array_bytes = header.bytes,
                   .shape = header.shape,
                   .axes = axes_given(options, header.shape.size()),
                   .plan = {},
                   .is_raw = options.raw.has_value(),
                   .dtype = options.raw ? options.raw->type : dtype_name(header),
                   .header_before = {},
                   .header_after = {}};
  if (!state.is_raw) {
    state.header_before.resize(std::size_t(header.data_offset));
    file.read(0, state.header_before.data(), header.data_offset);
    auto after = npy_preamble_in_place(header, shape_after(state));
    if (!after)
      throw error(error_kind::file,
                  fmt::format("{} cannot be transposed in place: its header of {} bytes has no room for the new "
                              "shape",
                              file.path().string(), header.data_offset));
    bool const is_same = header.order == storage_order::c && shape_after(state) == state.shape;
    state.header_after = is_same ? state.header_before : std::move(*after);
  }
  if (header.bytes == 0) return state;
  auto const moved =
      canonical(permutation(header.shape, dense_strides(header.shape, header.order), state.axes, header.element_size));
  if (std::ranges::all_of(moved.modes, stays)) return state;
  state.plan = planned(moved, options.memory ? options.memory : usual_memory(moved, options.processor));
  return state;
}

/// A permutation within a file, from any state that a crash may have left to the end. Units are numbered. In a .npy file the
/// first one replaces the magic bytes, so that no reader accepts the file. The last but one writes the rest of the new header,
/// the last one the magic bytes, which are so few that no crash leaves a part of them.
class file_permutation {
 public:
  file_permutation(updated_file& file, journal& log, file_state const& state, processor_kind processor)
      : file_(file), log_(log), state_(state), units_(state.plan), mover_(processor) {}

  std::int64_t size() const { return units_.size() + (state_.is_raw ? 0 : kHeaderUnits); }
  piece_mover const& mover() const { return mover_; }

  /// The array's bytes that the units from number `first` on move, if all units move equally many.
  std::int64_t bytes_from(std::int64_t first) const {
    auto const units = units_.size(), left = std::clamp<std::int64_t>(units - index_of(first), 0, units);
    return units == 0 ? 0 : std::int64_t(double(state_.array_bytes) * double(left) / double(units));
  }

  /// Throws `error` unless the file's header is what a crash while unit `last` was written may have left; -1: before any unit.
  void expect_header(std::int64_t last) const {
    if (state_.is_raw) return;
    auto const before = header_after_unit(last - 1), after = header_after_unit(last);
    std::string found(before.size(), '\0');
    file_.read(0, found.data(), std::ssize(found));
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i] != before[i] && found[i] != after[i])
        throw error(error_kind::file, fmt::format("{} has changed since cornerturn transpose --inplace was stopped; if it is "
                                                  "whole, delete {}",
                                                  file_.path().string(), journal::name_for(file_.path()).string()));
  }

  /// True if a unit may be computed before the previous one is written.
  bool may_be_early(std::int64_t number) const {
    return number < size() && !is_of_header(number) && !is_of_header(number - 1) && units_.continues_pass(index_of(number));
  }

  /// Computes the bytes that a unit writes.
  std::vector<std::byte> unit(std::int64_t number) {
    if (is_of_header(number)) {
      auto const header = header_after_unit(number);
      return bytes_of_text(std::string_view(header).substr(std::size_t(header_begin(number)), header_bytes(number)));
    }
    auto const parts = parts_of(number);
    std::vector<std::byte> result;
    for (auto const& part : parts) {
      piece_buffers const buffers(part.moved);
      for_each_run(part.moved.pack, [&](std::int64_t from, std::int64_t to, std::int64_t bytes) {
        auto* const target = buffers.packed.get() + to;
        part.from_workspace ? log_.read_workspace(part.source_byte + from, target, bytes)
                            : file_.read(state_.data_offset + part.source_byte + from, target, bytes);
      });
      mover_.move(part.moved, buffers, [](std::int64_t) {});
      result.insert(result.end(), buffers.moved.get(), buffers.moved.get() + part.moved.moved_bytes);
    }
    return result;
  }

  /// Writes a unit, which is in the journal, and waits until it is on the disk.
  void write(std::int64_t number, std::span<std::byte const> bytes) {
    if (is_of_header(number)) {
      file_.write(header_begin(number), bytes.data(), std::ssize(bytes));
      return file_.sync();
    }
    auto const* from = bytes.data();
    bool to_file = false;
    for (auto const& part : parts_of(number)) {
      for_each_run(part.moved.unpack, [&](std::int64_t source, std::int64_t to, std::int64_t count) {
        part.to_workspace ? log_.write_workspace(part.destination_byte + to, from + source, count)
                          : file_.write(state_.data_offset + part.destination_byte + to, from + source, count);
      });
      from += part.moved.moved_bytes;
      to_file |= !part.to_workspace;
    }
    to_file ? file_.sync() : log_.sync_workspace();
  }

 private:
  static std::vector<std::byte> bytes_of_text(std::string_view text) {
    auto const bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
  }
  /// The units of a .npy file besides those of its elements: one before them and two after them.
  static constexpr std::int64_t kHeaderUnits = 3;

  bool is_of_header(std::int64_t number) const { return !state_.is_raw && (number == 0 || number > units_.size()); }
  bool is_rest(std::int64_t number) const { return number == units_.size() + 1; }
  std::int64_t header_begin(std::int64_t number) const { return is_rest(number) ? std::ssize(kNpyMagic) : 0; }
  std::size_t header_bytes(std::int64_t number) const { return is_rest(number) ? std::string::npos : kNpyMagic.size(); }

  std::int64_t index_of(std::int64_t number) const { return number - !state_.is_raw; }  ///< in `units_`
  file_unit parts_of(std::int64_t number) const { return units_[index_of(number)]; }

  /// The header after a unit; -1 and less: before any unit.
  std::string header_after_unit(std::int64_t number) const {
    auto result = number > units_.size() ? state_.header_after : state_.header_before;
    bool const is_half = number >= 0 && number < size() - 1;
    return is_half ? result.replace(0, kHalfPermutedMagic.size(), kHalfPermutedMagic) : result;
  }

  updated_file& file_;
  journal& log_;
  file_state const& state_;
  unit_list units_;
  piece_mover mover_;
};

/// Throws `error` unless a journal is of this file and of a call with the same arguments.
void expect_same(file_state const& state, updated_file const& file, file_options const& options,
                 std::filesystem::path const& journal_name) {
  if (state.inode != file.inode() || state.file_bytes != file.size())
    throw error(error_kind::file,
                fmt::format("{} is of another file; if {} is whole, delete it", journal_name.string(), file.path().string()));
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

}  // namespace

file_report transpose_file_inplace(std::filesystem::path const& path, file_options const& options) {
  if (changes_elements(options))
    refuse("dtype, alpha, conjugate or saturate", "given", "left out, because elements do not change in place");
  refuse_missing_gpu(options.processor);
  updated_file file(path);
  auto const name = journal::name_for(file.path());
  auto log = journal::open(name);
  auto const state = log ? state_from(log->description(), name.string()) : first_state(file, options);
  if (log) expect_same(state, file, options, name);
  file_report report{
      .shape = shape_after(state), .dtype = state.dtype, .bytes = state.array_bytes, .seconds = 0, .processor = "cpu"};
  if (!log && state.plan.exchanges.empty() && state.header_before == state.header_after) return report;

  auto const header_bytes = std::ssize(state.header_after);
  if (!log)
    log =
        journal::create(name, to_bytes(state),
                        {std::max(std::min(state.plan.unit_bytes, state.array_bytes), header_bytes), state.plan.workspace_bytes});
  file_permutation whole(file, *log, state, options.processor);
  auto const last = log->last();
  whole.expect_header(last ? last->number : -1);
  if (last) whole.write(last->number, last->bytes);
  auto const first = last ? last->number + 1 : 0;
  report.moved_bytes = whole.bytes_from(first);
  std::future<std::vector<std::byte>> next;
  for (auto number = first; number < whole.size(); ++number) {
    auto const bytes = next.valid() ? next.get() : whole.unit(number);
    if (whole.may_be_early(number + 1))
      next = std::async(std::launch::async, [&whole, number] { return whole.unit(number + 1); });
    log->add(number, bytes);
    whole.write(number, bytes);
    if (options.progress) options.progress(double(number + 1 - first) / double(whole.size() - first), report.moved_bytes);
  }
  log->remove();
  report.seconds = whole.mover().seconds();
  report.processor = whole.mover().processor();
  return report;
}

}  // namespace cornerturn
