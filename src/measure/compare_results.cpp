#include "measure/compare_results.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/round.hpp"
#include "element/select.hpp"
#include "problem/print.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kAligned = 16;  ///< bytes

/// The array of one side.
struct filled_array {
  filled_array(byte_range const& range, std::optional<element_type> type)
      : before(round_up(std::max<std::int64_t>(-range.low, 0), kAligned)),
        bytes(std::size_t(before + std::max<std::int64_t>(range.high, 0))) {
    if (!type) {
      for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = std::byte(i * 7 % 251 + i / 251);
      return;
    }
    element::visit_type(*type, [&]<class T>(T each) {
      for (std::size_t i = 0; i < bytes.size() / sizeof each; ++i) {
        // without a period, and never NaN, whose bits may differ
        auto const number = double((i * 2654435761u >> 16) % (*type == element_type::boolean ? 2 : 101));
        if constexpr (element::kIsComplex<T>)
          each = {decltype(T::real)(number), decltype(T::real)(i % 3)};
        else
          each = element::element_of<T>(number, false);
        std::memcpy(bytes.data() + i * sizeof each, &each, sizeof each);
      }
    });
  }

  /// The address of element (0, ..., 0).
  std::byte* first() { return bytes.data() + before; }

  std::int64_t before;  ///< bytes before element (0, ..., 0)
  std::vector<std::byte> bytes;
};

}  // namespace

bool compares_results() {
#ifdef NDEBUG
  return false;
#else
  return true;
#endif
}

void compare_results(problem const& p, std::vector<candidate> const& candidates, byte_range const& read,
                     byte_range const& written, run_in_host_memory const& run) {
  auto const is_small = [](byte_range const& each) { return each.high < kMostCompared && each.low > -kMostCompared; };
  if (!is_small(read) || !is_small(written)) return;
  auto const type_of = [&](element_type element_operation::*side) {
    return p.operation ? std::optional(*p.operation.*side) : std::nullopt;
  };
  filled_array source(read, type_of(&element_operation::source));
  filled_array const before(written, type_of(&element_operation::destination));
  std::vector<std::byte> wanted;
  for (candidate const& each : candidates) {
    auto result = before;
    run(each, source.first(), result.first());
    if (wanted.empty()) wanted = result.bytes;
    auto const wrong = std::ranges::mismatch(wanted, result.bytes).in1 - wanted.begin();
    if (wrong == std::ssize(wanted)) continue;
    std::fprintf(stderr, "cornerturn: the results of two candidates for %s differ, first in byte %td: %s; %s\n",
                 to_string(p).c_str(), wrong, describe(candidates.front()).c_str(), describe(each).c_str());
    std::abort();
  }
}

}  // namespace cornerturn
