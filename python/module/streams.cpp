#include "streams.hpp"

#include "arguments.hpp"
#include "attribute.hpp"
#include "framework.hpp"

namespace cornerturn::python {
namespace {

/// Maps cudaStreamLegacy to null, the other handle of the legacy default stream.
void* without_alias(void* stream) { return stream == reinterpret_cast<void*>(1) ? nullptr : stream; }

void* current(view const& array) { return without_alias(array.of->current_stream(array)); }

/// Reads an address, a stream of PyTorch or CuPy, or an object with `__cuda_stream__`.
void* read_stream(nb::handle given) {
  nb::object handle = nb::borrow(given);
  if (has<"__cuda_stream__">(given)) {
    auto const protocol = call<"__cuda_stream__">(given);
    handle = nb::borrow(PyTuple_Check(protocol.ptr()) && PyTuple_Size(protocol.ptr()) == 2 ? PyTuple_GetItem(protocol.ptr(), 1)
                                                                                           : Py_None);
  } else if (has<"cuda_stream">(given)) {
    handle = get<"cuda_stream">(given);
  } else if (has<"ptr">(given)) {
    handle = get<"ptr">(given);
  }
  if (!PyLong_Check(handle.ptr()))
    refuse(PyExc_TypeError, "stream", text_of(given), "None, an address or a stream of PyTorch, CuPy or CUDA");
  auto const number = PyLong_AsLongLong(handle.ptr());
  if (number < 0) {
    PyErr_Clear();
    refuse(PyExc_ValueError, "stream", text_of(handle), "the address of a CUDA stream, or 0 for the default one");
  }
  return without_alias(reinterpret_cast<void*>(number));
}

/// Calls a function of cornerturn/_streams.py.
template <class... Arguments>
void call_python(char const* function, Arguments const&... arguments) {
  nb::module_::import_("cornerturn._streams").attr(function)(arguments...);
}

std::uintptr_t number_of(void* stream) { return reinterpret_cast<std::uintptr_t>(stream); }

}  // namespace

void expect_stream(nb::handle given, view const& array) {
  if (given.is_none()) return;
  if (array.device == kHost) refuse(PyExc_ValueError, "stream", text_of(given), "None for arrays in host memory");
  read_stream(given);
}

call_stream::call_stream(nb::handle given, nb::handle x, view const& source, nb::handle out, view const& destination,
                         bool is_new) {
  if (source.device == kHost) {
    expect_stream(given, source);
    return;
  }
  int const device = source.device >= 0 ? source.device : destination.device;
  device_ = device >= 0 ? nb::object(nb::int_(device)) : nb::none();
  other_ = current(destination);
  waits_ = source.needs_sync || destination.needs_sync;
  if (waits_) call_python("expect_library");
  if (given.is_none()) {
    work_ = source.of == destination.of && !source.stream && !destination.stream ? other_ : current(source);
    if (work_ != other_) call_python("wait", number_of(work_), number_of(other_), device_);
    return;
  }
  is_given_ = true;
  work_ = read_stream(given);
  if (work_ == other_) return;
  if (is_new)
    call_python("wait", number_of(work_), number_of(other_),
                device_);  // work on that stream may still use the new array's memory
  keeps_ = true;
  keep(x);
  keep(out);
  other_ = work_;
}

void call_stream::wait_for(view const& source) const {
  if (source.device == kHost || is_given_) return;
  if (auto* const stream = current(source); stream != work_) call_python("wait", number_of(work_), number_of(stream), device_);
}

void call_stream::keep(nb::handle array) const {
  if (keeps_) call_python("keep", array, number_of(work_), device_);
}

void call_stream::finish() const {
  if (waits_) call_python("synchronize", number_of(work_), device_);
  if (work_ != other_) call_python("wait", number_of(other_), number_of(work_), device_);
}

}  // namespace cornerturn::python
