#pragma once

// For users of CCCL's mdspan. This header needs the CCCL headers, from CUDA or standalone; no other header includes it.

#include <array>
#include <cstdint>
#include <cuda/std/mdspan>
#include <string>
#include <type_traits>

#include "cornerturn/error.hpp"
#include "cornerturn/permute.hpp"

namespace cornerturn {
namespace detail {

template <class Mdspan>
std::array<std::int64_t, Mdspan::rank()> strides_of([[maybe_unused]] Mdspan const& view) {
  std::array<std::int64_t, Mdspan::rank()> result{};
  if constexpr (Mdspan::rank() > 0)  // an mdspan of rank 0 has no stride()
    for (std::size_t i = 0; i < Mdspan::rank(); ++i) result[i] = std::int64_t(view.stride(i));
  return result;
}

}  // namespace detail

/// Copies the elements of one mdspan to another, bit for bit: a `strided_copy` with the extents, strides and element size of the
/// mdspans. Both have strided layouts, accessors whose data handles are pointers, and the same trivially copyable element type.
///
/// Throws `error` if the extents differ, and as `strided_copy` does.
template <class From, class SourceExtents, class SourceLayout, class SourceAccessor, class To, class DestinationExtents,
          class DestinationLayout, class DestinationAccessor>
void strided_copy(cuda::std::mdspan<From, SourceExtents, SourceLayout, SourceAccessor> const& source,
                  cuda::std::mdspan<To, DestinationExtents, DestinationLayout, DestinationAccessor> const& destination,
                  copy_options const& options = {}) {
  using source_view = std::remove_cvref_t<decltype(source)>;
  using destination_view = std::remove_cvref_t<decltype(destination)>;
  static_assert(std::is_same_v<std::remove_cv_t<From>, To>, "source and destination must have the same element type");
  static_assert(std::is_trivially_copyable_v<To>, "the element type must be trivially copyable");
  static_assert(source_view::rank() == destination_view::rank(), "source and destination must have the same rank");
  static_assert(source_view::is_always_strided() && destination_view::is_always_strided(), "both layouts must be strided");

  std::array<std::int64_t, source_view::rank()> shape{};
  for (std::size_t i = 0; i < shape.size(); ++i) {
    shape[i] = std::int64_t(source.extent(i));
    if (std::int64_t(destination.extent(i)) != shape[i])
      throw error(error_kind::argument, "the destination's extent of mode " + std::to_string(i) + " is " +
                                            std::to_string(destination.extent(i)) + "; it must be " + std::to_string(shape[i]) +
                                            ", the source's");
  }
  From const* const from = source.data_handle();
  To* const to = destination.data_handle();
  strided_copy(from, detail::strides_of(source), to, detail::strides_of(destination), shape, sizeof(To), options);
}

}  // namespace cornerturn
