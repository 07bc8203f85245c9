#include "explain/source_line.hpp"

#include <algorithm>

#include "explain/kernel_sources.hpp"

namespace cornerturn {

std::string source_line(std::string_view path, int line) {
  auto const* const found = std::ranges::find_if(kKernelSources, [&](auto const& each) { return path.ends_with(each.name); });
  if (found == std::ranges::end(kKernelSources)) return {};
  auto rest = found->text;
  for (int skipped = 1; skipped < line; ++skipped) rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  rest = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return std::string(rest);
}

}  // namespace cornerturn
