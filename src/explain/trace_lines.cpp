#include "explain/trace_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <system_error>

#include "base/printable.hpp"
#include "cornerturn/error.hpp"

namespace cornerturn {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kForm = "KERNEL BLOCK THREAD FILE:LINE ITERATION load|store global|shared ADDRESS BYTES";
constexpr std::size_t kWords = 9, kMostLine = 1024, kShown = 60;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMostShared = 228 * 1024;  // of an SM of compute capability 9.0, with what the system takes of a block

/// One line, whose words are read one by one.
class trace_line {
 public:
  trace_line(std::string_view path, std::int64_t number, std::string_view text) : path_(path), number_(number) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find_first_not_of(kBlanks, at)) != text.npos; ++count) {
      auto const end = std::min(text.find_first_of(kBlanks, at), text.size());
      if (count < kWords) words_[count] = text.substr(at, end - at);
      at = end;
    }
    if (count != kWords) refuse(fmt::format("it is '{}'; it must be {}", printable(text, kShown), kForm));
    auto const is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
    for (auto const word : words_)
      if (std::ranges::any_of(word, is_control)) refuse(fmt::format("'{}' has a control character", printable(word, kShown)));
  }

  std::string_view word(std::size_t at) const { return words_[at]; }

  /// An integer in decimal or, after 0x, in hexadecimal digits.
  std::int64_t integer(std::string_view what, std::string_view text, std::int64_t low, std::int64_t high) const {
    bool const is_hexadecimal = text.starts_with("0x");
    auto const digits = text.substr(is_hexadecimal ? 2 : 0);
    std::int64_t result = 0;
    auto const* const end = digits.data() + digits.size();
    auto const [after, failed] = std::from_chars(digits.data(), end, result, is_hexadecimal ? 16 : 10);
    if (failed != std::errc() || after != end || result < low || result > high)
      refuse(fmt::format("the {} is '{}'; it must be an integer from {} to {}", what, printable(text, kShown), low, high));
    return result;
  }

  bool is_second(std::string_view what, std::size_t at, std::string_view first, std::string_view second) const {
    if (words_[at] != first && words_[at] != second)
      refuse(fmt::format("the {} is '{}'; it must be {} or {}", what, printable(words_[at], kShown), first, second));
    return words_[at] == second;
  }

  [[noreturn]] void refuse(std::string_view problem) const { refuse_line(path_, number_, problem); }

 private:
  std::string_view path_;
  std::int64_t number_;
  std::array<std::string_view, kWords> words_;
};

access_line access_of(trace_line const& line) {
  constexpr int kMostThread = 1023;
  access_line result{};
  result.kernel = line.word(0);
  result.block = line.integer("block", line.word(1), 0, kMost);
  result.thread = int(line.integer("thread", line.word(2), 0, kMostThread));
  auto const place = line.word(3);
  auto const colon = place.rfind(':');
  if (colon == place.npos || colon == 0)
    line.refuse(fmt::format("the place is '{}'; it must be FILE:LINE", printable(place, kShown)));
  result.file = place.substr(0, colon);
  result.line = int(line.integer("line", place.substr(colon + 1), 1, std::numeric_limits<int>::max()));
  result.iteration = line.integer("iteration", line.word(4), 0, kMost);
  result.store = line.is_second("access", 5, "load", "store");
  bool const shared = line.is_second("memory", 6, "global", "shared");
  result.space = shared ? memory_space::shared : memory_space::global;
  result.address = std::uint64_t(line.integer("address", line.word(7), 0, (shared ? kMostShared : kMost) - 16));
  result.bytes = int(line.integer("number of bytes", line.word(8), 1, 16));
  if (result.bytes & (result.bytes - 1))
    line.refuse(fmt::format("the number of bytes is {}; it must be 1, 2, 4, 8 or 16", result.bytes));
  return result;
}

}  // namespace

void refuse_line(std::string_view path, std::int64_t line, std::string_view problem) {
  throw error(error_kind::file, fmt::format("{}: line {}: {}", path, line, problem));
}

void read_trace(std::string const& path, std::function<void(access_line const&, std::int64_t)> const& visit) {
  auto const expect = [&](bool is_read, int cause) {
    if (!is_read) throw error(error_kind::file, fmt::format("{}: cannot be read: {}", path, std::strerror(cause)));
  };
  std::error_code ignored;
  expect(!std::filesystem::is_directory(path, ignored), EISDIR);  // a folder can be opened
  std::ifstream file(path);
  expect(bool(file), errno);
  std::array<char, kMostLine + 1> text;
  for (std::int64_t number = 1;; ++number) {
    file.getline(text.data(), text.size());
    expect(!file.bad(), EIO);
    if (file.eof() && file.gcount() == 0) return;
    if (file.fail()) refuse_line(path, number, fmt::format("it must have at most {} characters", kMostLine));
    std::string_view const line(text.data(), std::size_t(file.gcount()) - !file.eof());
    auto const first = line.find_first_not_of(kBlanks);
    if (first != line.npos && line[first] != '#') visit(access_of(trace_line(path, number, line)), number);
    if (file.eof()) return;
  }
}

}  // namespace cornerturn
