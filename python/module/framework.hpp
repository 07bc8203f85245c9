#pragma once

#include <string>
#include <string_view>

#include "view.hpp"

namespace cornerturn::python {

/// The interface to the arrays of one framework or protocol.
class framework {
 public:
  virtual ~framework() = default;

  /// True if the object is an array of this framework.
  virtual bool owns(nb::handle array) const = 0;

  /// Describes an array. Throws TypeError if its elements are not plain memory. `name` is the name of the argument in messages.
  virtual view view_of(nb::handle array, std::string_view name) const = 0;

  /// True if no Python code runs while an array of this type is described.
  virtual bool is_plain(nb::handle) const { return false; }

  /// True if an array still has the memory of its view. Runs no Python code. What a protocol exports keeps its memory.
  virtual bool still_has(nb::handle, view const&) const { return true; }

  /// Allocates an array in C order with the dtype and device of `like`. Throws TypeError if the framework cannot.
  virtual nb::object empty(nb::handle like, view const& seen, nb::handle shape) const = 0;

  /// Allocates an array like `empty` does, but with the dtype of this name, e.g. "bfloat16".
  virtual nb::object empty_of(nb::handle like, view const& seen, nb::handle shape, std::string const& dtype) const;

  /// Converts an array that `empty` allocated, after it was filled, to the array that the call returns.
  virtual nb::object wrap_result(nb::handle, nb::object made) const { return made; }

  /// A view of the array with its axes permuted.
  virtual nb::object permuted(nb::handle array, nb::handle axes) const { return nb::handle(array).attr("transpose")(axes); }

  /// True if arrays may be changed in place: their views tell whether the memory is writable, and no stream is unknown.
  virtual bool has_writable_arrays() const { return false; }

  /// A view of a dense array in C order with another shape.
  virtual nb::object reshaped(nb::handle array, nb::handle shape) const { return nb::handle(array).attr("reshape")(shape); }

  /// Tells the framework that the elements of an array were changed.
  virtual void note_write(nb::handle) const {}

  /// The framework's current CUDA stream for an array in GPU memory; null is the default stream.
  virtual void* current_stream(view const&) const { return nullptr; }
};

/// The framework of an array. Null if the object is not an array.
framework const* owner_of(nb::handle array);

/// True for a path of a file.
bool is_path(nb::handle object);

/// The argument itself or, if it is a list, a tuple, a number or a buffer of Python, the array that NumPy makes of it. Throws
/// ValueError if NumPy cannot.
nb::object array_of(nb::handle given, std::string_view name);

/// True for the names of arguments that are written.
bool is_written(std::string_view name);

/// The framework of an array. Throws TypeError if the object is not an array.
framework const& framework_of(nb::handle array, std::string_view name);

inline view view_of(nb::handle array, std::string_view name) { return framework_of(array, name).view_of(array, name); }

/// Throws ValueError if an array no longer has the memory of its view, because Python code that ran since has resized it.
void expect_unmoved(nb::handle array, view const& seen, std::string_view name);

/// Does the same for two arrays. To describe the second one runs Python code, unless both are plain.
void expect_both_unmoved(nb::handle first, view const& first_seen, std::string_view first_name, nb::handle second,
                         view const& second_seen, std::string_view second_name);

/// Throws TypeError for an array of NumPy that has a mask beside its elements, which a call would drop or leave as it was: a
/// numpy.ma.MaskedArray, or one of another subclass with an attribute `mask` that is neither None nor a field.
void refuse_masked(nb::handle array, std::string_view name);

/// Adds `_refuse_masked`, with which the Python files refuse such arrays before NumPy or JAX drops the mask.
void add_masks(nb::module_& m);

/// The name of an array's dtype, which is the same in all frameworks: "float32", "bfloat16", …
std::string dtype_name(view const& array);

/// The frameworks, recognised by array type, and the two protocols, which serve all others.
framework const& numpy();
framework const& torch();
framework const& cupy();
framework const& cuda_interface();
framework const& dlpack();

}  // namespace cornerturn::python
