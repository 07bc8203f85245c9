#include "file/format_move.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/refuse.hpp"
#include "cornerturn/text.hpp"
#include "file/array.hpp"
#include "pattern/swizzle.hpp"
#include "problem/permuted.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

void refuse_excluded(file_options const& options) {
  constexpr std::string_view kAllowed = "left out with a format";
  if (options.axes) refuse("axes", "given", kAllowed);
  if (!options.flip.empty()) refuse("flip", "given", kAllowed);
  if (changes_elements(options)) refuse("dtype, alpha, conjugate or saturate", "given", kAllowed);
}

/// Throws `error` for a file whose bytes do not hold packed elements in their order.
void expect_packed(npy_header const& header) {
  if (header.element_size != 1)
    refuse({"the input", "the size of the elements of {}"}, count_text(header.element_size, "byte"),
           "1 byte, which holds packed elements");
  if (header.order != storage_order::c && header.shape.size() > 1)
    refuse({"the input", "the order of {}"}, "Fortran's", "C's for packed elements");
}

/// The name in `file_options` of an argument of `rearrange`.
std::string parameter_of(std::string_view argument) {
  constexpr std::string_view kResult = "result_";
  if (argument == "name") return "format.name";
  if (argument == "rank" || argument.starts_with("shape[")) return fmt::format("the input's {}", argument);
  if (argument.starts_with(kResult)) return fmt::format("format.{}", argument.substr(kResult.size()));
  return std::string(argument);
}

format_move made_move(npy_header const& header, file_options const& options) {
  auto const& format = options.format.value();
  refuse_excluded(options);
  auto const known = format_of(format.name);
  if (header.element_size == 0) refuse({"the input", "the size of the elements of {}"}, 0, "1 byte or more with a format");
  bool const is_packed = known.bits < 8;
  if (is_packed) expect_packed(header);
  if (!format.unpack && !format.shape.empty()) refuse("format.shape", "given", "left out if nothing is unpacked");
  if (format.unpack && known.by_shape && format.shape.empty())
    refuse("format.shape", "empty", fmt::format("the shape of the array before it was packed to {}", known.name));
  format_move made{.call = {},
                   .shape = shape_in_elements(header.shape, known.bits),
                   .result_shape = {},
                   .result_bytes = 0,
                   .options = {},
                   .move = {}};
  std::vector<axis_length> given;
  for (auto const& [name, value] : format.lengths) given.push_back({name, value});
  auto const element_bits = is_packed ? known.bits : 8 * header.element_size;
  auto const& unpacked = format.unpack && !format.shape.empty() ? format.shape : made.shape;
  made.call = (format.unpack ? unpacking : packing)(format.name, unpacked, element_bits, given);
  made.options.bits = known.bits;
  made.options.source_strides = dense_strides(made.shape, header.order);
  made.options.shape = format.shape;
  made.options.swizzle = made.call.swizzle, made.options.source_swizzle = made.call.source_swizzle;
  made.options.processor = options.processor;
  auto const steps =
      rearrangement_of(made.call.pattern, made.shape, made.call.axis_lengths(), {made.call.padded, made.options.shape});
  made.move = move_of(*steps, made.shape, made.options);
  swizzle_sides(made.move, made.call.pattern, *steps, made.options, element_bits);
  made.result_shape = shape_in_bytes(steps->shape, known.bits);
  auto const strides = dense_strides(made.result_shape, storage_order::c);
  made.result_bytes = destination_range(strided(made.result_shape, strides, strides, header.element_size)).high;
  return made;
}

}  // namespace

problem format_move::strided_problem(std::int64_t element_size) const {
  return strided(move.extents, move.source.mode_strides, move.destination.mode_strides, element_size);
}

format_move format_move_of(npy_header const& header, file_options const& options) {
  try {
    return made_move(header, options);
  } catch (error const& e) {
    throw e.with_argument(parameter_of(e.argument()));
  }
}

}  // namespace cornerturn
