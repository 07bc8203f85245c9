#include "size.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "refuse.hpp"

namespace cornerturn::cli {
namespace {

char upper(char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; }

/// The bytes of a unit: G and GiB are 2^30 bytes and GB is 10^9, as for dd; upper and lower case are alike. 0 for other text.
double bytes_of_unit(std::string_view text) {
  constexpr std::string_view kPrefixes = "KMGT";
  std::string unit(text.size(), '\0');
  std::ranges::transform(text, unit.begin(), upper);
  if (unit.empty() || unit == "B") return 1;
  auto const power = kPrefixes.find(unit.front());
  auto const suffix = std::string_view(unit).substr(1);
  if (power == std::string_view::npos || !(suffix.empty() || suffix == "IB" || suffix == "B")) return 0;
  return std::pow(suffix == "B" ? 1000 : 1024, double(power + 1));
}

}  // namespace

std::int64_t bytes_of(std::string_view name, std::string_view text, int least) {
  double number = 0;
  auto const* const last = text.data() + text.size();
  auto const [end, problem] = std::from_chars(text.data(), last, number, std::chars_format::fixed);
  double const unit = bytes_of_unit({end, last}), bytes = number * unit;
  constexpr double kEnd = 0x1p63;
  if (problem != std::errc() || unit == 0 || !(bytes >= least && bytes < kEnd))
    refuse(name, text,
           least == 0 ? "a number of bytes from 0 on, e.g. 352 or 4KiB"
                      : "a number of bytes above 0, e.g. 2GiB, 1.5G, 500MB or 1000000");
  return static_cast<std::int64_t>(bytes);
}

}  // namespace cornerturn::cli
