#include <gtest/gtest.h>

#include "engine/host/host.hpp"
#include "kernel/packed/plan.hpp"
#include "plan/candidate.hpp"
#include "support/message.hpp"
#include "support/packed.hpp"

namespace cornerturn {
namespace {

TEST(packed_kernel, transposes_on_the_host) {
  test::for_each_packed_case([](test::packed_case const& each, bit_packing const& packed) {
    auto const transpose = [&](auto const& source, auto& result, packed_matrices const& all) {
      auto const* const from = source.data() + each.begin;
      auto* const to = result.data() + each.begin;
      host::run(single_step(plan_packed(all, alignment_of(from, to))).steps, {.source = from, .destination = to});
    };
    EXPECT_EQ(test::wrong_byte(each, packed, transpose), "");
  });
}

/// Planning touches no memory.
TEST(packed_kernel, is_described) {
  auto all = test::packed_case{4096, 4096}.matrices({4, false});
  EXPECT_EQ(describe(plan_packed(all, {16, 16})),
            "packed elements of 4 bits, lowest first, 256 threads: 1024 tiles of 256 x 256, loads of 4 bytes, stores of 16 bytes");
  all.outer[0] = {.extent = std::int64_t(1) << 22, .source_stride = 1 << 25, .destination_stride = 1 << 25};
  EXPECT_EQ(test::message_of([&] {
              plan_packed(all, {16, 16});
            }),
            "the number of tiles of the matrices is 1024 times 4194304; it must be at most 2147483647 on a GPU");
}

}  // namespace
}  // namespace cornerturn
