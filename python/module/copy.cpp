#include <algorithm>
#include <cornerturn/permute.hpp>
#include <optional>

#include "arguments.hpp"
#include "attribute.hpp"
#include "dtypes.hpp"
#include "framework.hpp"
#include "functions.hpp"
#include "module.hpp"
#include "move.hpp"
#include "operations.hpp"
#include "streams.hpp"

namespace cornerturn::python {
namespace {

/// The places of NumPy's kinds in its rule `same_kind`: numbers become those of the same kind and of later ones.
int place_of_kind(element_type type) {
  switch (kElementTypes[std::size_t(type)].kind) {
    case element_kind::boolean:
      return 0;
    case element_kind::unsigned_integer:
      return 1;
    case element_kind::signed_integer:
      return 2;
    case element_kind::floating:
    case element_kind::finite:
      return 3;
    case element_kind::complex:
      break;
  }
  return 4;
}

/// A number of Python takes the dtype of dst, as in NumPy, if that is of its kind or of a later one.
nb::object source_of(nb::handle given, view const& destination) {
  int const place = PyBool_Check(given.ptr())      ? 0
                    : PyLong_Check(given.ptr())    ? 1
                    : PyFloat_Check(given.ptr())   ? 3
                    : PyComplex_Check(given.ptr()) ? 4
                                                   : -1;
  auto const dtype = dtype_name(destination);
  auto const to = number_of_dtype(dtype);
  if (place < 0 || !to || place_of_kind(to->type) < place) return array_of(given, "src");
  try {
    return nb::module_::import_("numpy").attr("asarray")(given, numpy_dtype_named(dtype, "dst.dtype"));
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_OverflowError)) throw;
    refuse_because(e, PyExc_ValueError, "src", repr_of(given), fmt::format("within the range of {}, the dtype of dst", dtype));
  }
}

/// Repeats the elements of an array to the shape of another one, as NumPy does. Axes of extent 1 before the others are dropped.
view broadcast(view const& source, view const& destination) {
  auto result = source;
  result.rank = destination.rank, result.extents = destination.extents;
  bool fits = true;
  for (int i = 1; i <= std::max(source.rank, destination.rank); ++i) {
    auto const extent = i > source.rank ? 1 : source.extents[std::size_t(source.rank - i)];
    if (i > destination.rank) {
      fits &= extent == 1;
      continue;
    }
    auto const at = std::size_t(destination.rank - i);
    fits &= extent == 1 || extent == destination.extents[at];
    result.stride_bytes[at] = extent == 1 ? 0 : source.stride_bytes[std::size_t(source.rank - i)];
  }
  if (!fits)
    refuse(PyExc_ValueError, "src.shape", text_of(tuple_of(source.shape())),
           fmt::format("one that broadcasts to {}, the shape of dst", text_of(tuple_of(destination.shape()))));
  return result;
}

std::string castable(std::string_view dtype) { return fmt::format("one to which NumPy casts {} by the rule 'same_kind'", dtype); }

/// The operation that casts elements of one dtype to another one by NumPy's rule `same_kind`; nothing if no element changes.
std::optional<element_operation> cast_between(view const& source, view const& destination) {
  if (are_same_dtypes(source.dtype, destination.dtype) || swap_between(source.dtype, destination.dtype)) return {};
  auto const from = number_of_dtype(dtype_name(source)), to = number_of_dtype(dtype_name(destination));
  if (!from || !to) return {};
  if (place_of_kind(from->type) > place_of_kind(to->type))
    refuse(PyExc_TypeError, "dst.dtype", dtype_name(destination), castable(dtype_name(source)));
  return element_operation{
      .source = from->type, .destination = to->type, .source_swapped = from->swapped, .destination_swapped = to->swapped};
}

/// True for two arrays of NumPy that only NumPy casts: dates in other units, texts, structures, numbers of 16 bytes.
bool does_numpy_cast(view const& source, view const& destination) {
  if (is_swapped_by_numpy(source, destination)) return true;
  bool const are_numbers = number_of_dtype(dtype_name(source)) && number_of_dtype(dtype_name(destination));
  return has<"isnative">(source.dtype) && has<"isnative">(destination.dtype) && !are_numbers &&
         !are_same_dtypes(source.dtype, destination.dtype) && !swap_between(source.dtype, destination.dtype);
}

/// An array with the elements that NumPy casts to the dtype of dst.
nb::object cast_by_numpy(nb::handle src, view const& source, view const& destination) {
  try {
    return src.attr("astype")(destination.dtype, nb::arg("casting") = "same_kind");
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_TypeError)) throw;
    refuse_because(e, PyExc_TypeError, "dst.dtype", text_of(destination.dtype), castable(text_of(source.dtype)));
  }
}

void copy(nb::handle given, nb::handle dst, nb::handle stream, nb::handle threads) {
  int const limit = threads_of(threads);
  auto const destination = view_of(dst, "dst");
  auto src = source_of(given, destination);
  auto seen = view_of(src, "src");
  if (does_numpy_cast(seen, destination)) {
    src = cast_by_numpy(src, seen, destination);
    seen = view_of(src, "src");
  }
  auto const source = broadcast(seen, destination);
  auto const cast = cast_between(source, destination);
  if (cast) {
    expect_room_for(source, "src", destination, "dst");
    element_strides(source, "src"), element_strides(destination, "dst");  // which names src in messages
  } else {
    expect_compatible(source, "src", destination, "dst");
  }
  call_stream const work(stream, src, source, dst, destination, false);
  expect_both_unmoved(src, seen, "src", dst, destination, "dst");
  if (!cast)
    move(source, destination, "dst", work.get(), limit);
  else if (!source.is_empty())
    move_changed(source, *cast, destination, "dst", work.get(), limit);
  work.finish();
}

}  // namespace

void add_copy(nb::module_& m) {
  builtin<copy>::add(
      m, "copy(src: object, dst: object, *, stream: object = None, threads: SupportsIndex = 0) -> None",
      documented(R"(Copies src to dst, element by element, as numpy.copyto(dst, src) does. Both have any strides, and one device.

The source comes first, unlike in numpy.copyto: what is read comes before what is written, as in permute(x, axes, out=y).

src is broadcast to the shape of dst. A number is cast to the dtype of dst if NumPy's rule 'same_kind' allows it, and computed as by
dtype in permute. Of other elements, such as dates in other units, NumPy makes an array of the dtype of dst first. The rules of
permute for x and out apply to src and dst. Their address ranges must not overlap, so a[::2] cannot be copied to a[1::2].)",
                 "", "As in permute, with src and dst in place of x and out.", R"(>>> mirrored = np.empty((2, 3), int)
>>> cornerturn.copy(np.array([[1, 2, 3], [4, 5, 6]])[:, ::-1], mirrored)
>>> mirrored
array([[3, 2, 1],
       [6, 5, 4]])
>>> cornerturn.copy([7, 8, 9], mirrored)
>>> mirrored
array([[7, 8, 9],
       [7, 8, 9]]))"));
}

}  // namespace cornerturn::python
