#pragma once

#include "cornerturn/cxx20.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "cornerturn/error.hpp"
#include "cornerturn/permute.hpp"

// Overloads for multidimensional views: std::mdspan of C++23, cuda::std::mdspan of CCCL, and any type with the same members. The
// caller includes the header of the view.

namespace cornerturn {

/// A multidimensional view with strides, whose data handle is a pointer to trivially copyable elements.
template <class View>
concept strided_view = std::is_trivially_copyable_v<typename View::element_type> && requires(View const& view, std::size_t mode) {
  { View::rank() } -> std::convertible_to<std::size_t>;
  view.extents().extent(0);
  { view.data_handle() } -> std::convertible_to<typename View::element_type*>;
} && (View::rank() == 0 || requires(View const& view) {
  { view.stride(0) } -> std::convertible_to<std::int64_t>;
});

/// Two views with the same rank and element type; the second one is writable.
template <class Source, class Destination>
concept strided_views = strided_view<Source> && strided_view<Destination> && Source::rank() == Destination::rank() &&
                        std::is_same_v<std::remove_const_t<typename Source::element_type>, typename Destination::element_type>;

namespace detail {

template <class View>
struct view_layout {
  std::array<std::int64_t, View::rank()> shape{}, strides{};

  explicit view_layout([[maybe_unused]] View const& view) {
    if constexpr (requires { View::is_always_strided(); })
      static_assert(View::is_always_strided(), "the layout of a view must be strided");
    if constexpr (View::rank() > 0) {  // a view of rank 0 has no stride()
      for (std::size_t i = 0; i < View::rank(); ++i) {
        shape[i] = std::int64_t(view.extents().extent(i));
        strides[i] = std::int64_t(view.stride(i));
      }
    }
  }
};

inline void expect_extent(std::size_t mode, std::int64_t given, std::int64_t needed) {
  if (given != needed)
    throw error({"the destination's extent of axis " + std::to_string(mode), std::to_string(given),
                 std::to_string(needed) + ", the source's"});
}

}  // namespace detail

/// Copies the elements of one view to another, bit for bit: a `strided_copy` with the views' extents, strides and element size.
///
/// Throws `error` if the extents differ, and as `strided_copy` does.
template <class Source, class Destination>
  requires strided_views<Source, Destination>
void strided_copy(Source const& source, Destination const& destination, copy_options const& options = {}) {
  detail::view_layout<Source> const from(source);
  detail::view_layout<Destination> const to(destination);
  for (std::size_t i = 0; i < Source::rank(); ++i) detail::expect_extent(i, to.shape[i], from.shape[i]);
  void const* const read = source.data_handle();
  void* const written = destination.data_handle();
  strided_copy(read, from.strides, written, to.strides, from.shape, sizeof(typename Source::element_type), options);
}

/// Permutes the modes of a view: mode i of the destination is mode axes[i] of the source, as in `permute`.
///
/// Throws `error` if the extents do not match, and as `permute` does.
template <class Source, class Destination>
  requires strided_views<Source, Destination>
void permute(Source const& source, Destination const& destination, index_list axes, copy_options const& options = {}) {
  constexpr auto rank = std::int64_t(Source::rank());
  detail::view_layout<Source> const from(source);
  detail::view_layout<Destination> const to(destination);
  for (std::size_t i = 0; i < axes.size() && i < Source::rank(); ++i) {
    auto const axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    if (axis >= 0 && axis < rank) detail::expect_extent(i, to.shape[i], from.shape[std::size_t(axis)]);
  }
  void const* const read = source.data_handle();
  void* const written = destination.data_handle();
  permute(read, written, from.shape, axes, sizeof(typename Source::element_type),
          {.source_strides = {from.strides.begin(), from.strides.end()},
           .destination_strides = {to.strides.begin(), to.strides.end()},
           .processor = options.processor,
           .stream = options.stream,
           .device = options.device,
           .threads = options.threads});
}

}  // namespace cornerturn
