#pragma once

#include "framework.hpp"
#include "move.hpp"
#include "refuse.hpp"
#include "streams.hpp"

namespace cornerturn::python {

/// Fills `out`, or where it is None a new dense array beside x, with what `source` sees of x, by
/// move(source, destination, name of the destination, stream). Throws for an `out` that does not fit, and for a new array as
/// well, since a subclass makes what it likes.
template <class Move>
nb::object deliver(nb::handle x, view const& source, nb::handle out, nb::handle stream, Move const& move) {
  bool const is_new = out.is_none();
  auto const result = is_new ? source.of->empty(x, source, tuple_of(source.shape())) : nb::borrow(out);
  std::string_view const name = is_new ? "the new array" : "out";
  auto const destination = look(result, name);
  expect_fitting(source, "x", destination, name);
  if (is_new && !is_dense(destination))
    refuse(PyExc_ValueError, fmt::format("{}.strides", name), text_of(tuple_of(destination.strides())), "those of C order");
  stream_of_call const work(stream, x, source, result, destination, is_new);
  move(source, destination, name, work.get());
  work.finish();
  return is_new ? source.of->finished(x, result) : result;
}

}  // namespace cornerturn::python
