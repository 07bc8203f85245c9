#include "move.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cornerturn/cornerturn.hpp>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "attribute.hpp"
#include "framework.hpp"
#include "refuse.hpp"

namespace cornerturn::python {
namespace {

/// Bytes from which the GIL is released: below them a copy takes no longer than to hand it over and back.
constexpr std::int64_t kWorthReleasing = 1 << 16;

std::string place_name(view const& array) {
  return array.device == kHost ? "cpu" : array.device == kSomeGpu ? "a GPU" : fmt::format("cuda:{}", array.device);
}

/// The library itself sees where the memory of arrays lies that do not say so.
bool may_share_device(view const& a, view const& b) {
  return a.device == b.device || (a.device == kSomeGpu && b.device != kHost) || (b.device == kSomeGpu && a.device != kHost);
}

bool have_one_dtype(view const& a, view const& b) {
  return a.dtype.type().is(b.dtype.type()) ? are_equal(a.dtype, b.dtype) : dtype_name(a) == dtype_name(b);
}

/// The modes as the library takes them, in elements. Strides that are no multiples of the item, as of the fields of packed
/// structures, are multiples of a smaller element, several of which follow each other.
struct modes {
  std::int64_t element_size;
  std::size_t rank;
  std::array<std::int64_t, kMaxRank + 1> extents, source, destination;

  modes(view const& from, view const& to) : element_size(from.item_size), rank(std::size_t(from.rank)) {
    for (std::size_t i = 0; i < rank; ++i) {
      bool const stepped = from.extents[i] > 1;  // what lies between the elements of a mode of one is anything
      extents[i] = from.extents[i];
      source[i] = stepped ? from.steps[i] : 0;
      destination[i] = stepped ? to.steps[i] : 0;
      element_size = std::gcd(element_size, std::gcd(source[i], destination[i]));
    }
    for (std::size_t i = 0; i < rank; ++i) source[i] /= element_size, destination[i] /= element_size;
    if (element_size != from.item_size) {
      extents[rank] = from.item_size / element_size;
      source[rank] = destination[rank] = 1;
      ++rank;
    }
  }
};

}  // namespace

void expect_fitting(view const& source, std::string_view source_name, view const& destination, std::string_view name) {
  if (!std::ranges::equal(source.shape(), destination.shape()))
    refuse(PyExc_ValueError, fmt::format("the shape of {}", name), text_of(make_tuple(destination.shape())),
           text_of(make_tuple(source.shape())));
  if (!have_one_dtype(source, destination))
    refuse(PyExc_ValueError, fmt::format("the dtype of {}", name), text_of(destination.dtype),
           fmt::format("{}, as that of {}", text_of(source.dtype), source_name));
  if (!may_share_device(source, destination))
    refuse(PyExc_ValueError, fmt::format("the device of {}", name), place_name(destination),
           fmt::format("{}, as that of {}", place_name(source), source_name));
  if (destination.read_only) refuse(PyExc_ValueError, name, "read-only", "writable");
  auto const read = range_of(source), written = range_of(destination);
  if (read.low < written.high && written.low < read.high)
    refuse(PyExc_ValueError, name, fmt::format("[{:#x}, {:#x})", written.low, written.high),
           fmt::format("apart from {}, [{:#x}, {:#x})", source_name, read.low, read.high));
}

void move(view const& source, view const& destination, void* stream) {
  if (source.is_empty()) return;
  modes const all(source, destination);
  auto const list = [&](auto const& of) { return index_list(of.data(), all.rank); };
  copy_options const options{.processor = source.device == kHost ? processor::cpu : processor::automatic, .stream = stream};
  std::optional<nb::gil_scoped_release> released;
  if (source.device != kHost || source.elements() * source.item_size >= kWorthReleasing) released.emplace();
  strided_copy(source.data, list(all.source), destination.data, list(all.destination), list(all.extents), all.element_size,
               options);
}

}  // namespace cornerturn::python
