#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cornerturn/processor.hpp"
#include "engine/file/piece_in_memory.hpp"
#include "file/journal.hpp"
#include "file/state.hpp"
#include "file/updated_file.hpp"

namespace cornerturn {

/// A permutation within a file, from any state that a crash may have left to the end. Units are numbered. Unit 0 writes nothing:
/// it puts the sum of the file into the journal. In a .npy file unit 1 replaces the magic bytes, so that no reader accepts the
/// file. The last but one unit writes the new header without its magic bytes, and the last unit writes the magic bytes, which are
/// so few that no crash leaves a part of them.
class file_permutation {
 public:
  /// The sizes of the journal.
  static journal_sizes sizes_for(file_state const& state);

  /// The arguments must outlive this object.
  file_permutation(updated_file& file, journal& log, file_state const& state, processor_kind processor);

  std::int64_t size() const { return 1 + units_.size() + (state_.is_raw ? 0 : kHeaderUnits); }
  piece_mover const& mover() const { return mover_; }

  /// The array's bytes that the units from number `first` on move, if all units move the same number.
  std::int64_t bytes_from(std::int64_t first) const;

  /// Begins with the first unit.
  void begin() { sum_ = sum_of_file(); }

  /// Writes the last unit of the journal again. Throws `error` if the file is in a state that a crash during this unit cannot
  /// have left.
  void resume(journal::unit const& last);

  /// True if a unit may be computed before the previous one is written.
  bool may_be_early(std::int64_t number) const;

  /// Computes the bytes that a unit writes.
  std::vector<std::byte> unit(std::int64_t number);

  /// Writes a unit to the journal and then to the file, and waits until it is on the disk.
  void write(std::int64_t number, std::vector<std::byte> bytes);

 private:
  /// The units of a .npy file that write its header: one before the units of its elements and two after them.
  static constexpr std::int64_t kHeaderUnits = 3;

  std::int64_t index_of(std::int64_t number) const { return number - 1 - !state_.is_raw; }  ///< in `units_`
  bool is_of_header(std::int64_t number) const { return !state_.is_raw && (number == 1 || index_of(number) >= units_.size()); }
  bool is_rest(std::int64_t number) const { return index_of(number) == units_.size(); }
  file_unit parts_of(std::int64_t number) const { return number == 0 ? file_unit() : units_[index_of(number)]; }

  std::int64_t header_begin(std::int64_t number) const;
  std::string_view header_bytes(std::int64_t number) const;
  std::int64_t bytes_of(std::int64_t number) const;
  bool is_checked(std::int64_t number) const;

  template <class Use>
  void for_each_write(std::int64_t number, Use const& use) const;

  std::vector<std::byte> bytes_in_file(std::int64_t number) const;
  std::uint64_t sum_of_unit(std::int64_t number, std::vector<std::byte> const& bytes) const;
  std::uint64_t sum_of_file() const;
  void write_to_file(journal::unit const& each);

  updated_file& file_;
  journal& log_;
  file_state const& state_;
  unit_list units_;
  piece_mover mover_;
  std::uint64_t sum_ = 0;  ///< the sum of the file between two units
};

}  // namespace cornerturn
