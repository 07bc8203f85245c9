#include "size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "cornerturn/error.hpp"

namespace cornerturn::cli {

std::int64_t bytes_of(std::string_view name, std::string_view text) {
  constexpr std::array<std::string_view, 5> kUnits{"", "KiB", "MiB", "GiB", "TiB"};
  std::int64_t bytes = 0;
  auto const* const last = text.data() + text.size();
  auto const [end, problem] = std::from_chars(text.data(), last, bytes);
  auto const unit = std::ranges::find(kUnits, std::string_view(end, last));
  bool const known =
      unit != kUnits.end() && !__builtin_mul_overflow(bytes, std::int64_t(1) << 10 * (unit - kUnits.begin()), &bytes);
  if (problem != std::errc() || !known || bytes <= 0)
    throw error(error_kind::argument,
                fmt::format("{} is '{}'; it must be a number of bytes above 0, e.g. 2GiB, 512MiB or 1000000", name, text));
  return bytes;
}

}  // namespace cornerturn::cli
