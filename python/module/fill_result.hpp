#pragma once

#include "framework.hpp"
#include "move.hpp"
#include "refuse.hpp"
#include "streams.hpp"

namespace cornerturn::python {

/// Calls move(source, destination, name of the destination, stream) to copy `source`, a view of x, to `out` or, if that is None,
/// to a new array in C order of the framework of x. Returns the filled array. Throws if `out` is not compatible. New arrays are
/// checked, too, because a subclass may allocate differently.
template <class Move>
nb::object fill_result(nb::handle x, view const& source, nb::handle out, nb::handle stream, Move const& move) {
  bool const is_new = out.is_none();
  auto const result = is_new ? source.of->empty(x, source, tuple_of(source.shape())) : nb::borrow(out);
  std::string_view const name = is_new ? "the new array" : "out";
  auto const destination = view_of(result, name);
  expect_compatible(source, "x", destination, name);
  if (is_new) expect_dense(destination, name);
  call_stream const work(stream, x, source, result, destination, is_new);
  move(source, destination, name, work.get());
  work.finish();
  return is_new ? source.of->wrap_result(x, result) : result;
}

}  // namespace cornerturn::python
