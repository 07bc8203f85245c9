#include "support/packed.hpp"

#include <gtest/gtest.h>

#include "engine/host/host.hpp"
#include "kernel/packed/plan.hpp"
#include "plan/candidate.hpp"

namespace cornerturn {
namespace {

/// Tiles and parts of tiles, with accesses of each width, and several matrices.
constexpr test::packed_case kCases[] = {{1, 1},
                                        {64, 128},
                                        {128, 128},
                                        {132, 260},
                                        {192, 144, 64, 16, 16},
                                        {3, 200, 5, 7, 3},
                                        {130, 63, 1, 2, 9, 3},
                                        {12, 20, 4, 4, 4, 5}};

TEST(packed_kernel, transposes_on_the_host) {
  for (int const bits : {4, 2, 1})
    for (bool const first_is_highest : {false, true})
      for (auto const& each : kCases)
        test::expect_transposed(each, {bits, first_is_highest},
                                [&](auto const& source, auto& result, packed_matrices const& all) {
                                  auto const* const from = source.data() + each.begin;
                                  auto* const to = result.data() + each.begin;
                                  auto const way = single_step(plan_packed(all, alignment_of(from, to)));
                                  host::run(way.steps, {.source = from, .destination = to});
                                });
}

}  // namespace
}  // namespace cornerturn
