#pragma once

#include "framework.hpp"
#include "move.hpp"
#include "streams.hpp"

namespace cornerturn::python {

/// Fills `out`, or where it is None a new dense array beside x, with what `source` sees of x, by
/// move(source, destination, name of the destination, stream).
template <class Move>
nb::object deliver(nb::handle x, view const& source, nb::handle out, nb::handle stream, Move const& move) {
  bool const is_new = out.is_none();
  auto const result = is_new ? source.of->empty(x, source, tuple_of(source.shape())) : nb::borrow(out);
  auto const destination = look(result, "out");
  if (!is_new) expect_fitting(source, "x", destination, "out");
  stream_of_call const work(stream, x, source, result, destination, is_new);
  move(source, destination, "out", work.get());
  work.finish();
  return is_new ? source.of->finished(x, result) : result;
}

}  // namespace cornerturn::python
