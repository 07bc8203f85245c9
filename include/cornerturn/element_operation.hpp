#pragma once

#include "cornerturn/cxx20.hpp"

#include <complex>
#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cornerturn/element_type.hpp"

namespace cornerturn {

/// The change of each element: destination = alpha * op(source) + beta * destination, where op is the identity or,
/// with `conjugate`, the complex conjugate. The destination is read only if beta is not 0.
///
/// A real element is computed as fma(alpha, s, beta * d), and each part of a complex element in the same way if alpha and beta
/// are real. The numbers have 64 bits if a side is f64, c128, u64 or i64, else 32 bits. The result is rounded once, to the
/// nearest, ties to even. An integer result is truncated, and limited to the range of its type; NaN becomes 0. A boolean result
/// is whether the number differs from 0. A real element that becomes complex has the imaginary part 0. A product that is not
/// asked for, because alpha is 1 and beta is 0, keeps all bits of integers; an integer becomes another integer modulo 2^bits, as
/// in NumPy and C.
///
/// Numbers beyond the range of an 8-bit floating-point type become infinite, or NaN in types without infinities such as
/// `f8_e4m3fn`, as in ml_dtypes, or with `saturate` the largest finite number.
///
/// With `source_swapped` or `destination_swapped` the elements of that side, or the parts of complex ones, have their bytes in
/// the order other than the processor's, as big-endian files have. So `{.source = f32, .destination = f32, .source_swapped =
/// true}` swaps the bytes, and keeps all of their bits.
///
/// With `scale` or `bias` each element has factors of its own: destination[i] = scale[i] * source[i] + bias[i], computed as
/// fma(scale, s, bias) and rounded as above. `factor_strides` is the layout of both arrays over the destination's shape; a stride
/// of 0 repeats factors, e.g. (0, 1, 0, 0) for the channels of images in planes. The arrays have doubles if numbers have 64 bits,
/// else floats. They lie in memory that the processor which runs the call can read, outside the address range of the destination,
/// and are read when it runs; a plan that is measured reads them while it is made, too. Then alpha is 1, beta is 0, and both
/// types are real.
struct element_operation {
  element_type source = element_type::f32, destination = element_type::f32;
  std::complex<double> alpha = 1, beta = 0;                  ///< imaginary parts other than 0 are for complex destinations only
  bool conjugate = false;                                    ///< without effect on real elements
  bool saturate = false;                                     ///< for 8-bit floating-point destinations only
  bool source_swapped = false, destination_swapped = false;  ///< without effect on elements of one byte
  void const *scale = nullptr, *bias = nullptr;   ///< the address of the factors of element (0, …, 0); null: 1, or none
  std::vector<std::int64_t> factor_strides = {};  ///< one per mode of the destination, in elements of scale and bias
  bool operator==(element_operation const&) const = default;
};

/// The elements of an array in a call that moves them: their size in bytes, if their bytes stay as they are, or an operation,
/// which changes them. So `permute(x, y, {2, 3}, {1, 0}, sizeof(float))` moves floats, and `permute(x, y, {2, 3}, {1, 0},
/// {element_type::u8, element_type::f32, 1.0 / 255})` makes floats from 0 to 1 of bytes.
///
/// ```cpp
/// std::vector<std::uint8_t> image(480 * 640 * 3, 255);
/// std::vector<float> planes(image.size());
/// cornerturn::elements const scaled{cornerturn::element_type::u8, cornerturn::element_type::f32, 1 / 255.0};
/// cornerturn::permute(image.data(), planes.data(), {480, 640, 3}, {2, 0, 1}, scaled);
/// ```
class elements {
 public:
  template <std::integral Size>
  constexpr elements(Size bytes) : bytes_(std::int64_t(bytes)) {}  ///< 1 or more
  elements(element_operation changed) : operation_(std::move(changed)) {}
  elements(element_type source, element_type destination, std::complex<double> alpha = 1, std::complex<double> beta = 0)
      : operation_({source, destination, alpha, beta}) {}

  /// The size in bytes of elements that stay as they are; 0 if an operation changes them.
  std::int64_t bytes() const { return bytes_; }
  /// The operation that changes the elements, if one does.
  std::optional<element_operation> const& operation() const { return operation_; }

 private:
  std::int64_t bytes_ = 0;
  std::optional<element_operation> operation_;
};

}  // namespace cornerturn
