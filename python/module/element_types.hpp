#pragma once

#include <array>
#include <cornerturn/element_operation.hpp>
#include <string_view>
#include <utility>

namespace cornerturn::python {

/// The types of elements by the names of dtypes in NumPy, ml_dtypes and PyTorch.
inline constexpr std::array<std::pair<std::string_view, element_type>, 17> kElementTypes{
    {{"bool", element_type::boolean},
     {"uint8", element_type::u8},
     {"int8", element_type::i8},
     {"uint16", element_type::u16},
     {"int16", element_type::i16},
     {"uint32", element_type::u32},
     {"int32", element_type::i32},
     {"uint64", element_type::u64},
     {"int64", element_type::i64},
     {"float8_e4m3fn", element_type::f8_e4m3fn},
     {"float8_e5m2", element_type::f8_e5m2},
     {"float16", element_type::f16},
     {"bfloat16", element_type::bf16},
     {"float32", element_type::f32},
     {"float64", element_type::f64},
     {"complex64", element_type::c64},
     {"complex128", element_type::c128}}};

}  // namespace cornerturn::python
