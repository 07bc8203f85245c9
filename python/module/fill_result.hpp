#pragma once

#include <initializer_list>
#include <string_view>

#include "dtypes.hpp"
#include "framework.hpp"
#include "move.hpp"
#include "streams.hpp"

namespace cornerturn::python {

/// The array that receives a result: the argument `out` or, if that is None, a new array.
struct receiver {
  bool is_new;
  nb::object array;
  std::string_view name;  ///< in messages
  view seen;

  /// Calls make() for a new array.
  template <class Make>
  receiver(nb::handle out, Make const& make)
      : is_new(out.is_none()),
        array(is_new ? make() : nb::borrow(out)),
        name(is_new ? "the new array" : "out"),
        seen(view_of(array, name)) {}

  /// Calls run(call stream) to fill the array from `source`, a view of x, on that stream. The work uses the arrays in `read`,
  /// too, unless they are null. Returns the filled array.
  template <class Run>
  nb::object fill(nb::handle x, view const& source, nb::handle stream, std::initializer_list<nb::handle> read,
                  Run const& run) const {
    call_stream const work(stream, x, source, array, seen, is_new);
    for (auto const& each : read)
      if (each.is_valid()) work.keep(each);
    expect_both_unmoved(x, source, "x", array, seen, name);
    run(work);
    work.finish();
    return is_new ? source.of->wrap_result(x, array) : array;
  }
};

/// Moves `source`, a view of x, to `out` or, if that is None, to a new array in C order of the framework of x, by at most
/// `threads` threads. Returns the filled array. Throws if `out` is not compatible. New arrays are checked, too, because a
/// subclass may allocate differently. The result has the dtype of x or `dtype`, which differs in the byte order only.
inline nb::object fill_result(nb::handle x, view const& source, nb::handle out, nb::handle stream, int threads,
                              nb::handle dtype = {}) {
  auto wanted = source;
  if (dtype.is_valid()) wanted.dtype = nb::borrow(dtype);
  receiver const to(out, [&] { return source.of->empty(x, wanted, tuple_of(source.shape())); });
  if (dtype.is_valid()) expect_same_dtype(wanted, "dtype", to.seen, to.name);
  bool const is_swapped_later = is_swapped_by_numpy(source, to.seen);
  wanted.dtype = is_swapped_later ? to.seen.dtype : source.dtype;
  expect_compatible(wanted, "x", to.seen, to.name);
  if (to.is_new) expect_dense(to.seen, to.name);
  return to.fill(x, source, stream, {}, [&](call_stream const& work) {
    move(wanted, to.seen, to.name, work.get(), threads);
    if (is_swapped_later) swap_in_place(nb::module_::import_("numpy").attr("asarray")(to.array), source.dtype);
  });
}

}  // namespace cornerturn::python
