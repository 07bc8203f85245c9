#include "cornerturn/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

namespace cornerturn {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; }

/// The number of letters to insert, leave out, replace or swap with their neighbours to make one name of the other. Upper and
/// lower case are alike.
std::size_t edit_distance(std::string_view one, std::string_view other) {
  // Rows of the table of distances between prefixes: for the prefixes of `one` of i + 1, i and i - 1 letters.
  std::vector<std::size_t> next(other.size() + 1), row(next), before(next);
  std::iota(row.begin(), row.end(), std::size_t(0));
  for (std::size_t i = 0; i < one.size(); ++i) {
    auto const same = [&](std::size_t k, std::size_t j) { return lower(one[k]) == lower(other[j]); };
    next[0] = i + 1;
    for (std::size_t j = 0; j < other.size(); ++j) {
      next[j + 1] = std::min({row[j] + !same(i, j), next[j] + 1, row[j + 1] + 1});
      if (i > 0 && j > 0 && same(i, j - 1) && same(i - 1, j)) next[j + 1] = std::min(next[j + 1], before[j - 1] + 1);
    }
    std::swap(before, row);
    std::swap(row, next);
  }
  return row.back();
}

}  // namespace

std::string count_text(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string list_text(std::vector<std::string> const& items, std::string_view last) {
  std::string result;
  for (std::size_t i = 0; i < items.size(); ++i) {
    bool const is_last = i + 1 == items.size();
    result += (i == 0 ? "" : is_last ? fmt::format(" {} ", last) : ", ") + items[i];
  }
  return result;
}

std::string decimal(double value) {
  auto const text = fmt::format("{:.1f}", value);
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string wrapped(std::string_view text, std::size_t indent) {
  constexpr std::size_t kWidth = 80;
  std::string result;
  while (text.size() > kWidth - indent) {
    auto const last = text.rfind(' ', kWidth - indent);
    auto const end = std::min(last == text.npos ? text.find(' ') : last, text.size());  // a longer word has a line of its own
    result += fmt::format("{}\n{:{}}", text.substr(0, end), "", indent);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result.append(text);
}

std::vector<std::string> similar_names(std::string_view misspelt, std::vector<std::string> const& names) {
  constexpr std::size_t kLettersPerError = 3;
  if (names.empty() || misspelt.empty()) return {};
  auto const bare = [&](std::string_view name) {
    auto const dashes = name.find_first_not_of('-');
    return misspelt.starts_with('-') || dashes == name.npos ? name : name.substr(dashes);
  };
  auto const errors = [&](std::string_view name) {
    auto const begin = [&](std::size_t letters) { return edit_distance(misspelt, bare(name).substr(0, letters)); };
    auto const whole = edit_distance(misspelt, bare(name));
    return misspelt.size() < kLettersPerError ? whole : std::min({whole, begin(misspelt.size()), begin(misspelt.size() + 1)});
  };
  auto const fewest = errors(*std::ranges::min_element(names, {}, errors));
  auto const is_similar = [&](std::string_view name) {
    if (fewest <= std::max<std::size_t>(1, misspelt.size() / kLettersPerError)) return errors(name) == fewest;
    return bare(name).find(misspelt) != name.npos;
  };
  std::vector<std::string> result;
  std::ranges::copy_if(names, std::back_inserter(result), is_similar);
  return result;
}

std::string did_you_mean(std::vector<std::string> const& meant) {
  constexpr std::size_t kMostNamed = 2;
  if (meant.empty() || meant.size() > kMostNamed) return {};
  return fmt::format("; did you mean {}?", fmt::join(meant, " or "));
}

std::string did_you_mean(std::string_view misspelt, std::vector<std::string> const& names) {
  return did_you_mean(similar_names(misspelt, names));
}

}  // namespace cornerturn
