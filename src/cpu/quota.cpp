#include "cpu/quota.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

#include "cpu/groups.hpp"

namespace cornerturn::cpu {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::max();

/// The number of processors whose time is granted: the quotient of the time and the period, both in microseconds.
double granted(std::istream&& time, std::istream&& period) {
  double used = 0, whole = 0;
  return time >> used && period >> whole && used > 0 && whole > 0 ? used / whole : kUnlimited;
}

double limit_of(std::filesystem::path const& group) {
  std::ifstream both(group / "cpu.max");  // "max 100000" or "150000 100000"
  std::string time, period;
  both >> time >> period;
  return std::min(granted(std::istringstream(time), std::istringstream(period)),
                  granted(std::ifstream(group / "cpu.cfs_quota_us"), std::ifstream(group / "cpu.cfs_period_us")));
}

}  // namespace

double quota(std::filesystem::path const& mounted, std::string const& listed) {
  double least = kUnlimited;
  for (auto const& group : groups(mounted, listed, "cpu")) least = std::min(least, limit_of(group));
  return least;
}

}  // namespace cornerturn::cpu
