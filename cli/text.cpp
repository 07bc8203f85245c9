#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "cornerturn/text.hpp"

namespace cornerturn::cli {

std::string name_list(std::vector<std::string> const& names) {
  constexpr std::size_t kWidth = 54;
  std::string text, line;
  for (auto const& name : names) {
    if (line.size() + name.size() > kWidth) text += std::exchange(line, "") + "\n";
    line += (line.empty() ? "" : " ") + name + (name == names.back() ? "" : ",");
  }
  return text + line;
}

std::string did_you_mean(std::string_view misspelt, std::vector<std::string> const& names) {
  constexpr std::size_t kLettersPerError = 3;
  if (names.empty() || misspelt.empty()) return {};
  // If a misspelt command resembles an option without its dashes, the option is meant.
  auto const bare = [&](std::string const& name) {
    return name.starts_with("--") && !misspelt.starts_with("-") ? std::string_view(name).substr(2) : std::string_view(name);
  };
  auto const distance = [&](std::string const& name) { return edit_distance(misspelt, bare(name)); };
  auto const begins = [&](std::string const& name) { return bare(name).starts_with(misspelt); };
  auto const nearest = std::ranges::min_element(names, {}, distance);
  if (distance(*nearest) <= std::max<std::size_t>(1, misspelt.size() / kLettersPerError))
    return fmt::format("; did you mean {}?", *nearest);
  if (std::ranges::count_if(names, begins) != 1) return {};
  return fmt::format("; did you mean {}?", *std::ranges::find_if(names, begins));
}

std::string size_text(std::int64_t bytes) {
  double size = double(bytes);
  if (size < 1000) return count_text(bytes, "byte");
  std::string_view unit;
  for (auto const next : {"KB", "MB", "GB", "TB"})
    if (size >= 1000) size /= 1000, unit = next;
  return fmt::format("{} {}", decimal(size), unit);
}

std::string speed_text(double bytes, double seconds) { return fmt::format("{:.2f} GB/s", 2e-9 * bytes / seconds); }

}  // namespace cornerturn::cli
