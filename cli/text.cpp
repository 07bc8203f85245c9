#include "text.hpp"

#include <utility>

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

}  // namespace cornerturn::cli
