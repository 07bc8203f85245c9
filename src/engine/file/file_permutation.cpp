#include "engine/file/file_permutation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "cornerturn/error.hpp"
#include "file/npy.hpp"
#include "file/runs.hpp"
#include "file/sum.hpp"

namespace cornerturn {
namespace {

/// The sum of the file outside a unit shows whether the journal belongs to the file, but not if the unit is most of the file. So
/// if a unit is more than this fraction of the array, the journal keeps the bytes that the unit replaces.
constexpr std::int64_t kShares = 8;

std::int64_t most_bytes(file_state const& state) { return std::min(state.plan.unit_bytes, state.array_bytes); }

bool keeps_replaced(file_state const& state) { return most_bytes(state) > state.array_bytes / kShares; }

}  // namespace

journal_sizes file_permutation::sizes_for(file_state const& state) {
  auto const unit = most_bytes(state) * (keeps_replaced(state) ? 2 : 1);
  return {.unit = std::max(unit, 2 * std::ssize(state.header_after)), .workspace = state.plan.workspace_bytes};
}

file_permutation::file_permutation(updated_file& file, journal& log, file_state const& state, processor_kind processor)
    : file_(file), log_(log), state_(state), units_(state.plan), mover_(processor) {}

std::int64_t file_permutation::bytes_from(std::int64_t first) const {
  auto const units = units_.size(), left = std::clamp<std::int64_t>(units - index_of(first), 0, units);
  return units == 0 ? 0 : std::int64_t(double(state_.array_bytes) * double(left) / double(units));
}

void file_permutation::resume(journal::unit const& last) {
  bool const is_unit = last.number < size() && std::ssize(last.bytes) == bytes_of(last.number) &&
                       last.replaced.size() == (is_checked(last.number) ? last.bytes.size() : 0);
  auto const name = journal::name_for(file_.path()).string();
  if (!is_unit) throw error(error_kind::file, fmt::format("{} is damaged", name));
  auto const found = bytes_in_file(last.number);
  bool is_same = sum_of_file() - sum_of_unit(last.number, found) == last.rest;
  for_each_write(last.number, [&](bool to_workspace, std::int64_t, std::int64_t begin, std::int64_t count) {
    if (to_workspace || last.replaced.empty()) return;
    for (auto i = std::size_t(begin); i < std::size_t(begin + count); ++i)
      is_same &= found[i] == last.bytes[i] || found[i] == last.replaced[i];
  });
  if (!is_same)
    throw error(error_kind::file,
                fmt::format("{} has changed since cornerturn transpose --inplace was stopped; if it is whole, delete {}",
                            file_.path().string(), name));
  write_to_file(last);
}

bool file_permutation::may_be_early(std::int64_t number) const {
  return number < size() && !is_of_header(number) && !is_of_header(number - 1) && units_.continues_pass(index_of(number));
}

std::vector<std::byte> file_permutation::unit(std::int64_t number) {
  if (is_of_header(number)) {
    auto const bytes = std::as_bytes(std::span(header_bytes(number)));
    return {bytes.begin(), bytes.end()};
  }
  std::vector<std::byte> result;
  for (auto const& part : parts_of(number)) {
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

void file_permutation::write(std::int64_t number, std::vector<std::byte> bytes) {
  journal::unit added{.number = number, .bytes = std::move(bytes), .replaced = bytes_in_file(number)};
  added.rest = sum_ - sum_of_unit(number, added.replaced);
  if (!is_checked(number)) added.replaced.clear();
  log_.add(added);
  write_to_file(added);
}

/// Writes a unit, which is in the journal, and waits until it is on the disk.
void file_permutation::write_to_file(journal::unit const& each) {
  bool to_file = false;
  for_each_write(each.number, [&](bool to_workspace, std::int64_t to, std::int64_t begin, std::int64_t count) {
    auto const* const from = each.bytes.data() + begin;
    to_workspace ? log_.write_workspace(to, from, count) : file_.write(to, from, count);
    to_file |= !to_workspace;
  });
  to_file ? file_.sync() : log_.sync_workspace();
  sum_ = each.rest + sum_of_unit(each.number, each.bytes);
}

/// True if the journal has the bytes that a unit replaces.
bool file_permutation::is_checked(std::int64_t number) const { return is_of_header(number) || keeps_replaced(state_); }

std::int64_t file_permutation::header_begin(std::int64_t number) const { return is_rest(number) ? std::ssize(kNpyMagic) : 0; }

/// The bytes that a unit of the header writes.
std::string_view file_permutation::header_bytes(std::int64_t number) const {
  if (is_rest(number)) return std::string_view(state_.header_after).substr(kNpyMagic.size());
  return number == 1 ? kHalfPermutedMagic : kNpyMagic;
}

std::int64_t file_permutation::bytes_of(std::int64_t number) const {
  if (is_of_header(number)) return std::ssize(header_bytes(number));
  std::int64_t result = 0;
  for (auto const& part : parts_of(number)) result += part.moved.moved_bytes;
  return result;
}

/// Calls `use(to_workspace, to, begin, count)` for each contiguous part that a unit writes: `count` bytes from byte `begin` of
/// the unit, to byte `to` of the file or of the workspace.
template <class Use>
void file_permutation::for_each_write(std::int64_t number, Use const& use) const {
  if (is_of_header(number)) return use(false, header_begin(number), 0, std::ssize(header_bytes(number)));
  std::int64_t begin = 0;
  for (auto const& part : parts_of(number)) {
    auto const first = part.destination_byte + (part.to_workspace ? 0 : state_.data_offset);
    for_each_run(part.moved.unpack, [&](std::int64_t from, std::int64_t to, std::int64_t count) {
      use(part.to_workspace, first + to, begin + from, count);
    });
    begin += part.moved.moved_bytes;
  }
}

/// The file's bytes in the places where a unit writes; zeros for bytes that the unit writes to the workspace.
std::vector<std::byte> file_permutation::bytes_in_file(std::int64_t number) const {
  std::vector<std::byte> result(std::size_t(bytes_of(number)));
  for_each_write(number, [&](bool to_workspace, std::int64_t to, std::int64_t begin, std::int64_t count) {
    if (!to_workspace) file_.read(to, result.data() + begin, count);
  });
  return result;
}

/// The part of the file's sum in the places where a unit writes, if `bytes` are there.
std::uint64_t file_permutation::sum_of_unit(std::int64_t number, std::vector<std::byte> const& bytes) const {
  std::uint64_t result = 0;
  for_each_write(number, [&](bool to_workspace, std::int64_t to, std::int64_t begin, std::int64_t count) {
    if (!to_workspace) result += sum_of(to, bytes.data() + begin, count);
  });
  return result;
}

/// The sum of the file, or of its header if nothing else is written.
std::uint64_t file_permutation::sum_of_file() const {
  auto const end = units_.size() > 0 ? state_.file_bytes : state_.data_offset;
  std::vector<std::byte> buffer(1 << 20);
  std::uint64_t result = 0;
  for (std::int64_t done = 0; done < end; done += std::ssize(buffer)) {
    auto const count = std::min(end - done, std::ssize(buffer));
    file_.read(done, buffer.data(), count);
    result += sum_of(done, buffer.data(), count);
  }
  return result;
}

}  // namespace cornerturn
