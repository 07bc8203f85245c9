#include "api/room.hpp"

#include "base/refuse.hpp"
#include "problem/permuted.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

void expect_within(std::string_view whose, byte_range const& elements, std::size_t size) {
  if (elements.low < 0)
    refuse({whose, "the {}'s first element"}, elements.low, "0 or more in a range; a pointer has elements before it");
  if (std::uint64_t(elements.high) > size)
    refuse({whose, "the {}'s number of elements"}, size, fmt::format("{} or more for this layout", elements.high));
}

}  // namespace

void expect_room(problem const& in_elements, detail::range_sizes const& sizes) {
  expect_within("source", source_range(in_elements), sizes.source);
  expect_within("destination", destination_range(in_elements), sizes.destination);
}

namespace detail {

void expect_room_to_permute(range_sizes sizes, index_list shape, index_list axes, permute_options const& options) {
  expect_room(permutation(shape, options.source_strides, axes, 1, options.destination_strides), sizes);
}

void expect_room_to_copy(range_sizes sizes, index_list source_strides, index_list destination_strides, index_list shape) {
  expect_room(strided(shape, source_strides, destination_strides, 1), sizes);
}

void expect_room_to_permute_inplace(std::size_t size, index_list shape) {
  auto const dense = dense_strides(shape, storage_order::c);
  expect_within("array", source_range(strided(shape, dense, dense, 1)), size);
}

}  // namespace detail
}  // namespace cornerturn
