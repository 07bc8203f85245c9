#pragma once

#include "view.hpp"

namespace cornerturn::python {

/// Throws ValueError for a stream with an array in host memory, TypeError if the object is not a stream.
void expect_stream(nb::handle given, view const& array);

/// The CUDA stream of one call: the current stream of the source's framework, ordered with that of the destination's framework;
/// or the stream that the caller gives, who then orders it.
class call_stream {
 public:
  /// `is_new`: the destination was allocated for this call. Throws as `expect_stream` does.
  call_stream(nb::handle given, nb::handle x, view const& source, nb::handle out, view const& destination, bool is_new);

  void* get() const { return work_; }

  /// Makes the work wait for the stream of another source, unless the caller gave a stream.
  void wait_for(view const& source) const;

  /// Tells the allocator of another array that the work uses the array.
  void keep(nb::handle array) const;

  /// Call it after the work is enqueued. The destination's stream waits for the work; the host waits for it if the arrays came
  /// through DLPack, whose owners know no stream.
  void finish() const;

 private:
  void* work_ = nullptr;   ///< the stream of the work
  void* other_ = nullptr;  ///< the current stream of the destination's framework
  nb::object device_;      ///< number of the GPU, or None
  bool is_given_ = false;  ///< true if the caller gave the stream
  bool waits_ = false;     ///< true if the host must wait for the work
  bool keeps_ = false;     ///< true if the arrays are in use on another stream than their allocator knows
};

}  // namespace cornerturn::python
