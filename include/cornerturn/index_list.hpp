#pragma once

#include "cornerturn/cxx20.hpp"

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "cornerturn/error.hpp"

namespace cornerturn {

/// The maximum number of modes of a problem.
inline constexpr int kMaxRank = 64;

/// A contiguous range of integers of another type than std::int64_t.
template <class Range>
concept other_integers = requires(Range const& range) { std::span(range); } &&
                         std::integral<typename decltype(std::span(std::declval<Range const&>()))::value_type> &&
                         !std::is_same_v<typename decltype(std::span(std::declval<Range const&>()))::value_type, std::int64_t>;

/// A parameter type for extents, strides and axes: a braced list, a vector, an array or a span of any integer type. It is
/// a view of 64-bit integers; integers of other types are converted to numbers of its own, which copies of the list view.
///
/// Throws `error` for more than 64 integers of another type, and for one above 2^63 - 1.
class index_list : public std::span<std::int64_t const> {
 public:
  using std::span<std::int64_t const>::span;
  constexpr index_list(std::initializer_list<std::int64_t> list) : span(list.begin(), list.size()) {}

  /// A braced list of std::size_t, which would be narrowed to the integers of the constructor above.
  template <std::unsigned_integral Index>
    requires(sizeof(Index) == sizeof(std::int64_t))
  index_list(std::initializer_list<Index> list) : index_list(std::span(list)) {}

  template <other_integers Range>
  index_list(Range const& range) {
    std::span const given(range);
    if (given.size() > converted_.size())
      throw error({"rank", std::to_string(given.size()), "64 or less"});
    for (std::size_t i = 0; auto const index : given) {
      if (!std::in_range<std::int64_t>(index))
        throw error({"index " + std::to_string(i) + " of a list", std::to_string(index), "2^63 - 1 or less"});
      converted_[i++] = std::int64_t(index);
    }
    span::operator=({converted_.data(), given.size()});
  }

  index_list(index_list const& other) : span(other) {}
  index_list& operator=(index_list const&) = delete;

 private:
  std::array<std::int64_t, kMaxRank> converted_;  // initialised only as far as it is used
};

}  // namespace cornerturn
