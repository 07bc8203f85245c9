#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "cornerturn/rearrange.hpp"
#include "cuda/handles.hpp"
#include "engine/gpu/gpu.hpp"
#include "gpu/gpu_test.hpp"
#include "kernel/packed/plan.hpp"
#include "plan/candidate.hpp"
#include "support/packed.hpp"

namespace cornerturn {
namespace {

using test::run_on_gpu;
using bytes = std::vector<std::byte>;

struct gpu_packed : test::on_gpu<> {};

TEST_F(gpu_packed, matrices_are_transposed) {
  test::for_each_packed_case([](test::packed_case const& each, bit_packing const& packed) {
    auto const transpose = [&](bytes const& source, bytes& result, packed_matrices const& all) {
      run_on_gpu(source, result, [&](std::byte const* from, std::byte* to) {
        from += each.begin, to += each.begin;
        gpu::run(single_step(plan_packed(all, alignment_of(from, to))).steps, {.source = from, .destination = to}, nullptr);
      });
    };
    EXPECT_EQ(test::wrong_byte(each, packed, transpose), "");
  });
}

TEST_F(gpu_packed, elements_are_rearranged_as_on_the_cpu) {
  for (int const bits : {4, 2, 1})
    for (auto const order : {bit_order::little, bit_order::big}) {
      std::int64_t const columns = 400 * 8 / bits;
      auto const source = test::filled(3 * 1000 * 400);
      bytes wanted(source.size()), result(source.size());
      rearrange_options const options{.bits = bits, .order = order};
      auto const call = [&](void const* from, void* to) {
        rearrange(from, to, "b m k -> k b m", {3, 1000, columns}, 1, {}, options);
      };
      call(source.data(), wanted.data());
      run_on_gpu(source, result, call);
      EXPECT_EQ(result, wanted) << bits;
    }
}

}  // namespace
}  // namespace cornerturn
