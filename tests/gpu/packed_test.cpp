#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "cornerturn/rearrange.hpp"
#include "cuda/handles.hpp"
#include "engine/gpu/gpu.hpp"
#include "gpu/gpu_test.hpp"
#include "kernel/packed/plan.hpp"
#include "plan/packed.hpp"
#include "support/packed.hpp"
#include "support/packed_moves.hpp"
#include "support/seeds.hpp"

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

TEST_F(gpu_packed, elements_are_padded_and_cropped_and_moved_one_by_one) {
  test::for_each_seed(100, [](unsigned seed) {
    auto const each = test::random_packed_move(seed);
    if (!each.has_result()) return;
    auto result = each.destination;
    run_on_gpu(each.source, result, [&](std::byte const* from, std::byte* to) {
      from += each.source_first, to += each.destination_first;
      auto const way = packed_candidate(each.move, each.packed, each.pad, alignment_of(from, to));
      gpu::stream_memory const workspace(way.workspace_bytes + 1, nullptr);
      gpu::run(way.steps, {.source = from, .destination = to, .workspace = workspace.get()}, nullptr);
    });
    EXPECT_EQ(result, test::moved_plainly(each));
  });
}

}  // namespace
}  // namespace cornerturn
