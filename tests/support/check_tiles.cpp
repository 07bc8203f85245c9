#include "support/check_tiles.hpp"

#include "cpu/tiles/tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "problem/print.hpp"
#include "problem/validate.hpp"
#include "support/numbered.hpp"
#include "support/plain.hpp"

namespace cornerturn::test {

void check_tiles(problem const& p, cpu_plan const& plan, int shares, guarded::beside where, bool has_image) {
  auto const filled = numbered(source_range(p).high);
  auto const written = std::size_t(destination_range(p).high);
  guarded const source(filled.size(), where), destination(written, where);
  std::vector<std::byte> expected(written, std::byte{0xEE});
  std::copy_n(filled.data(), filled.size(), source.data());  // std::ranges::copy copies byte after byte
  std::copy_n(expected.data(), written, destination.data());
  permute_plainly(p, source.data(), expected.data());

  guarded const image(has_image && plan.needs_image() ? std::size_t(plan.image_bytes()) : 0, guarded::beside::last);
  ASSERT_EQ(reinterpret_cast<std::uintptr_t>(image.data()) % 64, 0u) << describe(plan);
  for (int i = 0; i < shares; ++i) {
    int const share = where == guarded::beside::last ? shares - 1 - i : i;
    auto const last = plan.tasks() * (share + 1) / shares;
    auto next = plan.tasks() * share / shares;
    do {
      auto end = i == 0 ? std::min(next + 1, last) : last;
      cpu::shared_tiles::extension const extend = [&](std::int64_t) { return end = std::min(end + 1, last); };
      cpu::move_tiles(plan, {.source = source.data(),
                             .destination = destination.data(),
                             .first = next,
                             .end = end,
                             .image = image.data(),
                             .extend = &extend});
      next = end;
    } while (next < last);
  }
  if (std::memcmp(expected.data(), destination.data(), written) == 0) return;
  auto const wrong = std::mismatch(expected.begin(), expected.end(), destination.data()).first - expected.begin();
  FAIL() << "byte " << wrong << " of " << written << " is wrong: " << to_string(p) << " in " << shares << " shares by "
         << describe(plan);
}

}  // namespace cornerturn::test
