#include "move.hpp"

#include <cornerturn/cornerturn.hpp>

#include "arguments.hpp"
#include "attribute.hpp"
#include "dtypes.hpp"
#include "framework.hpp"
#include "gil.hpp"
#include "modes.hpp"

namespace cornerturn::python {
namespace {

/// The GIL is released from this many bytes on. Releasing it takes as long as copying a tenth of them.
constexpr std::int64_t kLeastReleased = 1 << 16;

/// cudaStreamLegacy, the legacy default stream as a non-null handle.
void* const kLegacyStream = reinterpret_cast<void*>(1);

std::string device_name(view const& array) {
  return array.device == kHost ? "cpu" : array.device == kSomeGpu ? "a GPU" : fmt::format("cuda:{}", array.device);
}

/// False if the arrays are on different devices. The library finds the device of arrays that do not name theirs.
bool may_share_device(view const& a, view const& b) {
  return a.device == b.device || (a.device == kSomeGpu && b.device != kHost) || (b.device == kSomeGpu && a.device != kHost);
}

}  // namespace

/// If both arrays name the same GPU, the library need not ask CUDA, which does not know memory allocated during stream capture.
/// Otherwise their memory may be host memory, and the library must wait for the stream; a null handle would not name one.
copy_options options_of(view const& source, view const& destination, void* stream, int threads) {
  if (source.device == kHost) return {.processor = processor_kind::cpu, .threads = threads};
  if (source.device == destination.device && source.device != kSomeGpu) return {.stream = stream, .device = source.device};
  return {.stream = stream ? stream : kLegacyStream, .threads = threads};
}

void expect_same_device(view const& wanted, std::string_view wanted_name, view const& given, std::string_view name) {
  if (!may_share_device(wanted, given))
    refuse(PyExc_ValueError, fmt::format("{}.device", name), device_name(given),
           fmt::format("{}, as that of {}", device_name(wanted), wanted_name));
}

void expect_same_dtype(view const& wanted, std::string_view wanted_name, view const& given, std::string_view name) {
  if (!are_same_dtypes(wanted.dtype, given.dtype))
    refuse(PyExc_ValueError, fmt::format("{}.dtype", name), text_of(given.dtype),
           fmt::format("{}, as that of {}", text_of(wanted.dtype), wanted_name));
  if (given.item_size != wanted.item_size)  // the dtype attribute of a subclass may be wrong
    refuse(PyExc_ValueError, fmt::format("{}.itemsize", name), fmt::to_string(given.item_size),
           fmt::format("{}, as that of {}", wanted.item_size, wanted_name));
}

void expect_compatible(view const& source, std::string_view source_name, view const& destination, std::string_view name) {
  expect_shape(destination, name, source.shape());
  if (!are_same_dtypes(source.dtype, destination.dtype) && swap_between(source.dtype, destination.dtype))
    element_strides(source, source_name), element_strides(destination, name);
  else
    expect_same_dtype(source, source_name, destination, name);
  expect_room_for(source, source_name, destination, name);
}

void expect_room_for(view const& source, std::string_view source_name, view const& destination, std::string_view name) {
  expect_shape(destination, name, source.shape());
  expect_same_device(source, source_name, destination, name);
  expect_writable(destination, name);
  expect_apart(source, source_name, destination, name);
}

void expect_writable(view const& array, std::string_view name) {
  if (array.is_resolved) refuse(PyExc_ValueError, name, "conjugated or negated lazily", "its resolve_conj() or resolve_neg()");
  if (array.read_only) refuse(PyExc_ValueError, name, "read-only", "writable");
  if (array.is_copy)
    refuse(PyExc_ValueError, fmt::format("{}.__dlpack__()", name), "a copy",
           "the array's own memory, or the result would be lost");
}

void expect_alike(view const& first, view const& given, std::string_view name) {
  expect_shape(given, name, first.shape(), ", as that of x[0]");
  expect_same_dtype(first, "x[0]", given, name);
  expect_same_device(first, "x[0]", given, name);
}

void expect_apart(view const& source, std::string_view source_name, view const& destination, std::string_view name) {
  auto const read = range_of(source, source_name), written = range_of(destination, name);
  if (read.low < written.high && written.low < read.high)
    refuse(
        PyExc_ValueError, name, fmt::format("within the addresses of {}", source_name),
        fmt::format("memory that does not overlap {}, such as a new array; permute_inplace works within one array", source_name));
}

std::vector<std::int64_t> element_strides(view const& array, std::string_view name) {
  std::vector<std::int64_t> strides;
  for (int i = 0; i < array.rank; ++i) {
    auto const bytes = array.extents[std::size_t(i)] > 1 ? array.stride_bytes[std::size_t(i)] : 0;
    if (bytes % array.item_size)
      refuse(PyExc_ValueError, fmt::format("{}.strides", name), text_of(tuple_of(array.strides())),
             fmt::format("multiples of the item size, {}, to change elements", array.item_size));
    strides.push_back(bytes / array.item_size);
  }
  return strides;
}

bool has_odd_strides(view const& array) {
  for (std::size_t i = 0; i < std::size_t(array.rank) && array.item_size > 0; ++i)
    if (array.extents[i] > 1 && array.stride_bytes[i] % array.item_size != 0) return true;
  return false;
}

bool is_swapped_by_numpy(view const& source, view const& destination) {
  return !source.dtype.is(destination.dtype) && differ_in_byte_order(source.dtype, destination.dtype) &&
         (!swap_between(source.dtype, destination.dtype) || has_odd_strides(source) || has_odd_strides(destination));
}

bool should_release_gil(view const& moved) { return moved.device != kHost || moved.bytes() >= kLeastReleased; }

void move_changed(view const& source, element_operation const& operation, view const& destination, std::string_view name,
                  void* stream, int threads) {
  auto const read = element_strides(source, "the source"), written = element_strides(destination, name);
  auto const options = options_of(source, destination, stream, threads);
  gil_release const released(should_release_gil(source));
  strided_copy(source.data, read, destination.data, written, source.shape(), operation, options);
}

void refuse_strides(view const& destination, std::string_view name) {
  refuse(PyExc_ValueError, fmt::format("{}.strides", name), text_of(tuple_of(destination.strides())),
         "such that, in ascending order, each exceeds the span of the axes before it, as in any slice of a dense array");
}

void move(view const& source, view const& destination, std::string_view name, void* stream, int threads) {
  if (source.is_empty()) return;
  if (!are_same_dtypes(source.dtype, destination.dtype))
    if (auto const swap = swap_between(source.dtype, destination.dtype))
      return move_changed(source, *swap, destination, name, stream, threads);
  modes const all(source, destination);
  auto const options = options_of(source, destination, stream, threads);
  try {
    gil_release const released(should_release_gil(source));
    strided_copy(source.data, all.list(all.source), destination.data, all.list(all.destination), all.list(all.extents),
                 all.element_size, options);
  } catch (error const& e) {
    if (e.argument() != "destination_strides") throw;
    refuse_strides(destination, name);
  }
}

}  // namespace cornerturn::python
