#include "text.hpp"

#include <fmt/format.h>

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
