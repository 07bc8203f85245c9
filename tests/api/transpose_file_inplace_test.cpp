#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "cornerturn/cornerturn.hpp"
#include "support/scratch.hpp"

namespace cornerturn {
namespace {

constexpr std::size_t kPage = 4096;

template <class Number>
Number number_at(std::string const& bytes, std::size_t offset) {
  Number result;
  std::memcpy(&result, bytes.data() + offset, sizeof result);
  return result;
}

template <class Number>
void put_number(std::string& bytes, std::size_t offset, Number value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// The checksum of a journal, by its definition.
std::uint64_t checksum_of(std::string const& bytes, std::uint64_t seed) {
  auto const mixed = [](std::uint64_t sum, std::uint64_t word) { return std::rotl((sum ^ word) * 0x9E3779B97F4A7C15, 29); };
  auto sum = mixed(seed, bytes.size());
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min<std::size_t>(8, bytes.size() - i));
    sum = mixed(sum, word);
  }
  return sum;
}

std::size_t in_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

/// A part of a journal that has a checksum: a head, whose last number the checksum is, and what follows it after a page.
struct checked_part {
  std::size_t begin, head_bytes;
  std::vector<std::size_t> lengths;  ///< of what follows, as numbers in the head

  /// Gives the part its checksum. Lengths beyond the journal's end are left to the reader.
  void seal(std::string& journal) const {
    auto const magic = number_at<std::uint64_t>(journal, begin);
    auto sum = checksum_of(journal.substr(begin, head_bytes), magic);
    auto at = begin + kPage;
    for (auto const each : lengths) {
      auto const length = number_at<std::uint64_t>(journal, begin + each);
      if (length > journal.size() - at) return;
      sum = checksum_of(journal.substr(at, length), sum);
      at += length;
    }
    put_number(journal, begin + head_bytes, sum);
  }
};

checked_part head_of_journal() { return {0, 32, {8}}; }

/// The places of both units, that of the last one first.
std::vector<checked_part> units_of(std::string const& journal) {
  auto const first = kPage + in_pages(number_at<std::uint64_t>(journal, 8));
  auto const next = first + kPage + in_pages(number_at<std::uint64_t>(journal, 16));
  std::vector<checked_part> result{{first, 40, {16, 24}}, {next, 40, {16, 24}}};
  auto const number_of = [&](checked_part const& each) { return number_at<std::int64_t>(journal, each.begin + 8); };
  std::ranges::sort(result, std::greater(), number_of);
  return result;
}

/// A file whose permutation was stopped.
class stopped_in_place : public testing::TestWithParam<bool> {
 protected:
  static constexpr std::int64_t kRows = 61, kCols = 47;

  bool is_raw() const { return GetParam(); }

  void SetUp() override {
    std::string source(2 * kRows * kCols, '\0');
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = char(i * 7 / 3);
    array_ = source;
    permute(source.data(), array_.data(), {kRows, kCols}, {1, 0}, 2);
    header_ = header(kRows, kCols);
    after_ = header(kCols, kRows) + array_;
    before_ = header_ + source;
    if (!is_raw()) before_ += "more", after_ += "more";
    options_.processor = processor_kind::cpu;
    options_.memory = is_raw() ? 3400 : 9000;  // units of less than an eighth of the array, and of more
    if (is_raw()) options_.raw = raw_array{{kRows, kCols}, "u16"};
  }

  std::string header(std::int64_t rows, std::int64_t columns) const {
    if (is_raw()) return "";
    auto text =
        "{'descr': '<u2', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " + std::to_string(columns) + "), }";
    text.resize(128 - 10 - 1, ' ');
    return std::string("\x93NUMPY\1\0\x76\0", 10) + text + '\n';
  }

  /// Stops a call after a share of its units.
  void stop_at(double share) {
    folder_.put("a", before_);
    std::filesystem::remove(folder_ / kJournal);
    auto options = options_;
    options.progress = [&](double done, std::int64_t) {
      if (done >= share) throw done;
    };
    EXPECT_THROW(transpose_file_inplace(folder_ / "a", options), double);
    half_ = folder_.get("a"), journal_ = folder_.get(kJournal);
  }

  /// Finishes the work with another journal, or refuses it and changes nothing.
  void finish_with(std::string const& journal, std::string const& what) {
    folder_.put("a", half_);
    folder_.put(kJournal, journal);
    ASSERT_EQ(chmod((folder_ / kJournal).c_str(), 0600), 0);
    try {
      transpose_file_inplace(folder_ / "a", options_);
      EXPECT_TRUE(folder_.get("a") == after_) << what;
      EXPECT_EQ(folder_.names(), std::vector<std::string>{"a"});
    } catch (error const& e) {
      ++refused_;
      bool const is_named =
          std::string(e.what()).find((folder_ / "a").string()) != std::string::npos || e.kind() == error_kind::argument;
      EXPECT_TRUE(is_named) << e.what();
      EXPECT_TRUE(folder_.get("a") == half_) << what;
      EXPECT_TRUE(folder_.get(kJournal) == journal) << what;
    }
  }

  /// Replaces the eight bytes from `offset` on by any number in a part, whose checksum is then right.
  void change_number(checked_part const& part, std::size_t offset) {
    using limits = std::numeric_limits<std::int64_t>;
    auto const old = number_at<std::int64_t>(journal_, offset);
    for (auto const value : {std::int64_t(0), std::int64_t(1), std::int64_t(-1), std::int64_t(2), std::int64_t(1) << 32,
                             limits::max(), limits::min(), std::int64_t(std::uint64_t(old) + 1),
                             std::int64_t(std::uint64_t(old) - 1), std::int64_t(std::uint64_t(old) * 2), old / 2}) {
      if (value == old) continue;
      auto changed = journal_;
      put_number(changed, offset, value);
      part.seal(changed);
      finish_with(changed, "at byte " + std::to_string(offset) + " " + std::to_string(value) + " for " + std::to_string(old));
    }
  }

  static constexpr char kJournal[] = "a.cornerturn-journal";
  test::scratch folder_;
  file_options options_;
  std::string header_, array_, before_, after_, half_, journal_;
  int refused_ = 0;
};

INSTANTIATE_TEST_SUITE_P(files, stopped_in_place, testing::Bool(),
                         [](auto const& info) { return std::string(info.param ? "raw" : "npy"); });

TEST_P(stopped_in_place, is_finished_with_its_journal) {
  for (double const share : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    stop_at(share);
    finish_with(journal_, "unchanged");
  }
  EXPECT_EQ(refused_, 0);
}

TEST_P(stopped_in_place, is_safe_from_any_number_in_the_heads_of_its_journal) {
  for (double const share : {0.4, 0.6, 1.0}) {
    stop_at(share);
    for (std::size_t at = 0; at < 32; at += 8) change_number(head_of_journal(), at);
    auto const last = units_of(journal_).front();
    for (std::size_t at = 0; at < 40; at += 8) change_number(last, last.begin + at);
  }
  EXPECT_GT(refused_, 100);
}

/// Numbers follow texts, so they may begin at any byte.
TEST_P(stopped_in_place, is_safe_from_any_number_in_the_description_of_its_journal) {
  stop_at(0.6);
  auto const numbers = journal_.find(is_raw() ? "u16" : "<u2"), end = kPage + number_at<std::uint64_t>(journal_, 8);
  for (auto at = kPage; at + 8 <= numbers; at += 8) change_number(head_of_journal(), at);
  for (auto at = numbers + 3; at + 8 <= end; at += 8 + number_at<std::uint64_t>(journal_, at))
    change_number(head_of_journal(), at);
  EXPECT_GT(refused_, 100);
}

TEST_P(stopped_in_place, is_safe_from_any_length_of_its_journal_s_description) {
  stop_at(0.6);
  for (auto length = number_at<std::uint64_t>(journal_, 8); length-- > 0;) {
    auto changed = journal_;
    put_number(changed, 8, length);
    head_of_journal().seal(changed);
    finish_with(changed, "length " + std::to_string(length));
  }
}

/// Its units may be those of another format, too, so that none of them seems to be there.
TEST_P(stopped_in_place, is_left_to_the_version_that_made_its_journal) {
  stop_at(0.1);
  auto other = journal_;
  put_number(other, kPage, std::int64_t(1));
  head_of_journal().seal(other);
  for (auto const& unit : units_of(other)) put_number(other, unit.begin, std::int64_t(1));
  finish_with(other, "version 1");
  EXPECT_EQ(refused_, 1);
}

}  // namespace
}  // namespace cornerturn
