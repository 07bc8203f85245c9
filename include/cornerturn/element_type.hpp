#pragma once

#include "cornerturn/cxx20.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cornerturn/export.h"

namespace cornerturn {

#define CORNERTURN_ELEMENT_TYPE(type, ...) type,
/// The types of elements whose values an `element_operation` changes, with a row each in element_types.def. `boolean` is one
/// byte, 0 or 1. The 8-bit floating-point types are those of the OCP specification: `f8_e4m3fn` has no infinities, `f8_e5m2` has.
/// Complex types are pairs of a real and an imaginary part, as in NumPy and BLAS.
enum class element_type : std::int32_t {
#include "cornerturn/element_types.def"
};

/// The kinds of types. `finite` are floating-point types without infinities.
enum class element_kind : std::int32_t { boolean, unsigned_integer, signed_integer, floating, finite, complex };

/// What element_types.def says of a type.
struct element_type_row {
  element_type type;
  std::string_view name;   ///< in messages and on the command line, with the number of bits, e.g. "f32"
  std::string_view dtype;  ///< in NumPy, ml_dtypes, PyTorch and JAX, e.g. "float32"
  std::string_view code;   ///< NumPy's code without a byte order, e.g. "f4"; empty if NumPy lacks the type, e.g. of bf16
  element_kind kind;
  int bytes;
};

/// The rows of all types, in the order of their numbers.
inline constexpr element_type_row kElementTypes[] = {
#define CORNERTURN_ELEMENT_TYPE(type, CONSTANT, name, dtype, code, kind, bytes, T) \
  {element_type::type, name, dtype, code, element_kind::kind, bytes},
#include "cornerturn/element_types.def"
};

/// The type of a name, e.g. "f32". Throws `error` for any other name.
///
/// ```cpp
/// auto const type = cornerturn::element_type_named("bf16");
/// std::cout << cornerturn::name_of(type) << ": " << cornerturn::size_of(type) << " bytes\n";
/// ```
CORNERTURN_API element_type element_type_named(std::string_view name);

/// The types that a misspelt name may mean: those with a similar name (`similar_names`) or, if there are none, with a similar
/// dtype. `fp8` means the 8-bit floats.
CORNERTURN_API std::vector<element_type> similar_types(std::string_view misspelt);

/// The name of a type in messages and on the command line, e.g. "f32".
CORNERTURN_API std::string_view name_of(element_type type);

/// Bytes of an element: 1, 2, 4, 8 or 16.
CORNERTURN_API int size_of(element_type type);

CORNERTURN_API bool is_complex(element_type type);
CORNERTURN_API bool is_integer(element_type type);  ///< boolean is none
CORNERTURN_API bool is_8_bit_float(element_type type);

/// True for the types of matrices that `quantize` takes: floats of at most 32 bits.
CORNERTURN_API bool is_quantizable(element_type type);

/// True for types whose numbers have 64 bits: f64, c128, u64 and i64.
CORNERTURN_API bool is_wide(element_type type);

/// The names of the types for which `is` returns true, the largest types first: "f8_e4m3fn" and "f8_e5m2" for is_8_bit_float.
CORNERTURN_API std::vector<std::string> names_of_types(bool (*is)(element_type),
                                                       std::string_view element_type_row::*name = &element_type_row::name);

}  // namespace cornerturn
