#include <gtest/gtest.h>

#include <stdexcept>

#include "problem/canonical.hpp"
#include "problem/pieces.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

/// A 6 x 10 transpose from elements of 12 bytes to elements of 2 bytes.
problem const kNarrowed{.modes = {{6, 10, 1}, {10, 1, 6}}, .element_size = {12, 2}};

TEST(element_sizes, of_one_number_are_those_of_both_sides) {
  EXPECT_EQ(element_sizes(4), element_sizes(4, 4));
  EXPECT_EQ(shared_element_size({.modes = {}, .element_size = 4}), 4);
}

TEST(element_sizes, that_differ_are_not_taken_for_equal) {
  EXPECT_THROW(shared_element_size(kNarrowed), std::logic_error);
  EXPECT_THROW(split_elements(kNarrowed), std::logic_error);
}

TEST(element_sizes, count_the_bytes_of_their_own_side) {
  EXPECT_EQ(source_range(kNarrowed), (byte_range{0, 6 * 10 * 12}));
  EXPECT_EQ(destination_range(kNarrowed), (byte_range{0, 6 * 10 * 2}));
  EXPECT_EQ(bytes_of(kNarrowed), 6 * 10 * 12);
}

TEST(element_sizes, that_differ_stay_whole_in_the_canonical_form) {
  EXPECT_EQ(canonical(kNarrowed).element_size, kNarrowed.element_size);
  EXPECT_EQ(canonical({.modes = {{0, 1, 1}}, .element_size = {12, 2}}).element_size, element_sizes(12, 2));
  EXPECT_EQ(to_string(canonical(kNarrowed)), "{10:6<-1, 6:1<-10} of 2 bytes from 12");
}

TEST(element_sizes, of_a_piece_are_the_sources_where_it_is_packed_and_the_destinations_where_it_is_unpacked) {
  auto const pieces = pieces_of(canonical(kNarrowed), 1 << 10);
  ASSERT_EQ(pieces.size(), 1);
  auto const each = pieces[0];
  EXPECT_EQ(each.packed_bytes, 6 * 10 * 12);
  EXPECT_EQ(each.moved_bytes, 6 * 10 * 2);
  EXPECT_EQ(shared_element_size(each.pack), 4);  // 12 bytes are 3 elements of 4
  EXPECT_EQ(each.move.element_size, kNarrowed.element_size);
  EXPECT_EQ(shared_element_size(each.unpack), 2);
}

}  // namespace
}  // namespace cornerturn
