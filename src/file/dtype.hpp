#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cornerturn/element_operation.hpp"
#include "file/literal.hpp"

namespace cornerturn {

/// The item size of a dtype in bytes; 0 for "|S0". A .npy header describes a dtype by a type code ("<f4", "|S10", "<M8[ns]") or
/// by a list of fields, which may nest and contain sub-arrays. Some writers use a name of NumPy ("float64"), a letter ("d"), or
/// several codes with commas between them ("i4,2f4").
///
/// Throws `error` (kind file) for Python objects, an unknown type code, two fields with the same name, a malformed description
/// and an item size beyond 64 bits. The message begins with `name`.
std::int64_t dtype_size(literal const& descr, std::string_view name);

/// The type of the elements that a type code or a name describes, e.g. "<f4", ">f4" or "float32"; nothing for other codes. "<f1",
/// which NumPy writes for ml_dtypes' float8_e5m2 and cannot read, is f8_e5m2.
std::optional<element_type> type_of_code(std::string_view code);

/// True for a code that has only the size of elements, e.g. "|V2".
bool is_void(std::string_view code);

/// True if a type code names the byte order other than the processor's.
bool is_swapped(std::string_view code);

/// The type code of elements. Types that NumPy lacks are bytes of their size, e.g. "<V2" for bf16.
std::string code_of_type(element_type type, bool swapped = false);

}  // namespace cornerturn
