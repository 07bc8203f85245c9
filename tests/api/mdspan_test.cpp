#include "cornerturn/mdspan.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cuda/std/mdspan>
#include <numeric>

#include "support/message.hpp"

namespace cornerturn {
namespace {

namespace views = cuda::std;

template <class Layout>
using matrix = views::mdspan<int, views::dextents<int, 2>, Layout>;

TEST(mdspan, copies_between_layouts) {
  std::array<int, 6> source, result{};
  std::iota(source.begin(), source.end(), 0);
  strided_copy(matrix<views::layout_right>(source.data(), 2, 3), matrix<views::layout_left>(result.data(), 2, 3));
  EXPECT_EQ(result, (std::array<int, 6>{0, 3, 1, 4, 2, 5}));
}

TEST(mdspan, takes_const_sources_static_extents_and_strides) {
  std::array<int, 6> source;
  std::iota(source.begin(), source.end(), 0);
  std::array<int, 8> result{};
  using shape = views::extents<long, 2, 3>;
  views::mdspan<int const, shape> const from(source.data());
  views::mdspan<int, shape, views::layout_stride> const to(
      result.data(), views::layout_stride::mapping<shape>(shape{}, views::array<long, 2>{4, 1}));
  strided_copy(from, to, {.processor = processor_kind::cpu});
  EXPECT_EQ(result, (std::array<int, 8>{0, 1, 2, 0, 3, 4, 5, 0}));
}

TEST(mdspan, takes_rank_0) {
  double const source = 5;
  double result = 0;
  strided_copy(views::mdspan<double const, views::extents<int>>(&source), views::mdspan<double, views::extents<int>>(&result));
  EXPECT_EQ(result, 5);
}

TEST(mdspan, permutes) {
  std::array<int, 6> source, result{};
  std::iota(source.begin(), source.end(), 0);
  permute(matrix<views::layout_right>(source.data(), 2, 3), matrix<views::layout_right>(result.data(), 3, 2), {1, -2});
  EXPECT_EQ(result, (std::array<int, 6>{0, 3, 1, 4, 2, 5}));
  auto const said = [&](int rows, index_list axes) {
    return test::message_of([&] {
      permute(matrix<views::layout_right>(source.data(), 2, 3), matrix<views::layout_right>(result.data(), rows, 2), axes);
    });
  };
  EXPECT_EQ(said(4, {1, 0}), "the destination's extent of axis 0 is 4; it must be 3, the source's");
  EXPECT_EQ(said(3, {1, 2}), "axes is (1, 2); it must be a permutation of 0 to 1 for an array of rank 2");
}

/// A view of another library, with the members that the concept asks for and no others.
struct other_view {
  using element_type = int;
  struct extents_type {
    long extent(std::size_t mode) const { return mode == 0 ? 2 : 3; }
  };
  int* data;
  long steps[2];

  static constexpr std::size_t rank() { return 2; }
  extents_type extents() const { return {}; }
  long stride(std::size_t mode) const { return steps[mode]; }
  int* data_handle() const { return data; }
};

TEST(mdspan, takes_any_type_with_its_members) {
  std::array<int, 6> source, result{};
  std::iota(source.begin(), source.end(), 0);
  strided_copy(other_view{source.data(), {3, 1}}, other_view{result.data(), {1, 2}});
  EXPECT_EQ(result, (std::array<int, 6>{0, 3, 1, 4, 2, 5}));
  static_assert(!strided_view<std::array<int, 6>> && !strided_view<int*>);
}

TEST(mdspan, refuses_other_extents) {
  std::array<int, 6> memory{};
  auto const copy = [&] {
    strided_copy(matrix<views::layout_right>(memory.data(), 2, 3), matrix<views::layout_right>(memory.data(), 2, 2));
  };
  EXPECT_EQ(test::message_of(copy), "the destination's extent of axis 1 is 2; it must be 3, the source's");
}

}  // namespace
}  // namespace cornerturn
