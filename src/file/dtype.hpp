#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cornerturn/element_operation.hpp"
#include "file/literal.hpp"

namespace cornerturn {

/// The item size of a dtype in bytes, which is 0 for "|S0". A .npy header describes a dtype by a type code ("<f4", "|S10",
/// "<M8[ns]"), by a list of fields, which may nest and contain sub-arrays, or as other writers do by a name of NumPy ("float64"),
/// a letter ("d") or several of all these codes with commas between them ("i4,2f4").
///
/// Throws `error` (kind file), whose message begins with `name`, for Python objects, an unknown type code, two fields of one
/// name, a malformed description and an item size beyond 64 bits.
std::int64_t dtype_size(literal const& descr, std::string_view name);

/// The type of the elements that a type code or a name describes, e.g. "<f4" or "float32"; none for any other code and for the
/// other byte order. "<f1", which NumPy writes for ml_dtypes' float8_e5m2 and cannot read, is f8_e5m2.
std::optional<element_type> type_of_code(std::string_view code);

/// True for the code of elements of which only the size is known, e.g. "|V2".
bool is_void(std::string_view code);

/// The type code of elements. NumPy has none for bf16 and the 8-bit floats, which are bytes of their size: "<V2" and "|V1".
std::string code_of_type(element_type type);

}  // namespace cornerturn
