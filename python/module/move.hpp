#pragma once

#include <cornerturn/permute.hpp>
#include <vector>

#include "view.hpp"

namespace cornerturn::python {

/// Copies the elements of an array to another one of the same shape, after `expect_compatible`, in host memory on at most
/// `threads` threads, and swaps their bytes if the byte orders differ; 0: no limit besides `set_num_threads`. Releases the GIL
/// for large arrays. Throws ValueError if the elements of the destination, called `name` in messages, overlap.
void move(view const& source, view const& destination, std::string_view name, void* stream, int threads = 0);

/// Does the same with an operation that changes the elements, whose types are those of the arrays.
void move_changed(view const& source, element_operation const& operation, view const& destination, std::string_view name,
                  void* stream, int threads);

/// The strides of an array in elements. Throws ValueError if they are no multiples of the item size.
std::vector<std::int64_t> element_strides(view const& array, std::string_view name);

/// True if the strides are no multiples of the item size, as those of fields may be.
bool has_odd_strides(view const& array);

/// True for two dtypes of NumPy that differ in the byte order only, if the library does not swap the bytes on the way: those of
/// texts, structures, numbers of 16 bytes, and odd strides.
bool is_swapped_by_numpy(view const& source, view const& destination);

/// True if moving the array takes so long that the GIL should be released.
bool should_release_gil(view const& moved);

/// The options of a call that moves an array to another one on `stream`.
copy_options options_of(view const& source, view const& destination, void* stream, int threads);

/// Throws ValueError unless an array's elements may be changed.
void expect_writable(view const& array, std::string_view name);

/// Throws ValueError for a destination whose strides let elements overlap.
[[noreturn]] void refuse_strides(view const& destination, std::string_view name);

/// Throws unless `destination` has the shape and device of `source`, is writable and does not overlap it.
void expect_room_for(view const& source, std::string_view source_name, view const& destination, std::string_view name);

/// Throws ValueError if the arrays overlap, `destination` called `name` and `source` called `source_name`.
void expect_apart(view const& source, std::string_view source_name, view const& destination, std::string_view name);

/// Throws ValueError unless an array of a list has the shape, dtype and device of the first one, x[0].
void expect_alike(view const& first, view const& given, std::string_view name);

/// Throws, too, if the dtypes differ in more than their byte order.
void expect_compatible(view const& source, std::string_view source_name, view const& destination, std::string_view name);

/// Throw ValueError unless both arrays have the same device or the same dtype.
void expect_same_device(view const& wanted, std::string_view wanted_name, view const& given, std::string_view name);
void expect_same_dtype(view const& wanted, std::string_view wanted_name, view const& given, std::string_view name);

}  // namespace cornerturn::python
