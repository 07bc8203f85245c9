#pragma once

#include "view.hpp"

namespace cornerturn::python {

/// Throws ValueError for a stream given for an array in host memory, TypeError for what is no stream.
void expect_stream(nb::handle given, view const& array);

/// The CUDA stream of one call. It is the current one of the source's framework, and ordered with that of the destination's; or
/// the one that the caller gave, and then the caller orders.
class stream_of_call {
 public:
  /// `is_new`: the destination was made for this call. Throws what `expect_stream` does.
  stream_of_call(nb::handle given, nb::handle x, view const& source, nb::handle out, view const& destination, bool is_new);

  void* get() const { return work_; }

  /// After the work is enqueued: the other stream waits for it, and so does the caller of arrays that know no stream.
  void finish() const;

 private:
  void* work_ = nullptr;
  void* other_ = nullptr;
  nb::object device_;
  bool waits_ = false;
};

}  // namespace cornerturn::python
