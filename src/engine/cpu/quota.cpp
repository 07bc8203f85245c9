#include "engine/cpu/quota.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

namespace cornerturn::cpu {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::max();

double limit_of(std::filesystem::path const& group) {
  std::ifstream file(group / "cpu.max");  // "max 100000" or "150000 100000"
  double time = 0, period = 0;
  return file >> time >> period && period > 0 ? time / period : kUnlimited;
}

}  // namespace

double quota(std::filesystem::path const& mounted, std::string const& groups) {
  auto group = mounted;
  double least = limit_of(group);
  std::istringstream lines(groups);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("0::/")) continue;
    for (auto const& step : std::filesystem::path(line.substr(4))) least = std::min(least, limit_of(group /= step));
  }
  return least;
}

}  // namespace cornerturn::cpu
