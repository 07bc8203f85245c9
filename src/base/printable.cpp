#include "base/printable.hpp"

#include <fmt/format.h>

namespace cornerturn {

std::string printable(std::string_view text, std::size_t longest) {
  std::string result;
  for (unsigned char const c : text.substr(0, longest))
    result += c >= ' ' && c <= '~' ? std::string(1, char(c)) : fmt::format("\\x{:02x}", c);
  return text.size() > longest ? result + "..." : result;
}

}  // namespace cornerturn
