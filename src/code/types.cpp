#include "code/types.hpp"

#include <algorithm>

namespace cornerturn {
namespace {

struct named_type {
  std::string_view name;
  int bits;
  bool integer;
};

/// Scalar types. A vector type is one of these with 1 to 4 after its name.
constexpr named_type kTypes[] = {{"bool", 8, true},           {"char", 8, true},
                                 {"uchar", 8, true},          {"int8_t", 8, true},
                                 {"uint8_t", 8, true},        {"byte", 8, true},
                                 {"short", 16, true},         {"ushort", 16, true},
                                 {"int16_t", 16, true},       {"uint16_t", 16, true},
                                 {"int", 32, true},           {"uint", 32, true},
                                 {"unsigned", 32, true},      {"signed", 32, true},
                                 {"int32_t", 32, true},       {"uint32_t", 32, true},
                                 {"long", 64, true},          {"ulong", 64, true},
                                 {"longlong", 64, true},      {"ulonglong", 64, true},
                                 {"int64_t", 64, true},       {"uint64_t", 64, true},
                                 {"size_t", 64, true},        {"ptrdiff_t", 64, true},
                                 {"uintptr_t", 64, true},     {"auto", 32, true},
                                 {"half", 16, false},         {"__half", 16, false},
                                 {"half_t", 16, false},       {"bfloat16_t", 16, false},
                                 {"nv_bfloat16", 16, false},  {"__nv_bfloat16", 16, false},
                                 {"bfloat16", 16, false},     {"bf16", 16, false},
                                 {"float", 32, false},        {"tfloat32_t", 32, false},
                                 {"double", 64, false},       {"float_e4m3_t", 8, false},
                                 {"float_e5m2_t", 8, false},  {"__nv_fp8_e4m3", 8, false},
                                 {"__nv_fp8_e5m2", 8, false}, {"fp8_e4m3", 8, false},
                                 {"float_ue8m0_t", 8, false}, {"__nv_fp8_e8m0", 8, false},
                                 {"float_e2m1_t", 4, false},  {"__nv_fp4_e2m1", 4, false},
                                 {"int4b_t", 4, true},        {"uint4b_t", 4, true},
                                 {"cuComplex", 64, false},    {"cuDoubleComplex", 128, false}};

constexpr std::string_view kQualifiers[] = {"const",      "constexpr",    "volatile",     "static",          "extern",
                                            "inline",     "register",     "__restrict__", "restrict",        "__shared__",
                                            "__device__", "__constant__", "__global__",   "__forceinline__", "__align__",
                                            "alignas",    "typename",     "struct"};

constexpr int kMostBits = 128;

}  // namespace

std::optional<value_type> type_named(std::string_view name) {
  name = name.substr(name.rfind(':') + 1);  // without its namespace
  auto const find = [](std::string_view scalar) { return std::ranges::find(kTypes, scalar, &named_type::name); };
  if (auto const* const found = find(name); found != std::end(kTypes)) {
    bool const is_unsigned = name.starts_with('u') || name == "size_t" || name == "byte";
    return value_type{found->bits, 1, found->integer, is_unsigned, name == "bool"};
  }
  if (name.empty()) return std::nullopt;
  int const count = name.back() - '0';
  auto const* const scalar = find(name.substr(0, name.size() - 1));
  if (count < 1 || count > 4 || scalar == std::end(kTypes) || scalar->bits * count > kMostBits || name.starts_with("auto"))
    return std::nullopt;
  return value_type{scalar->bits * count, count, false};
}

bool is_qualifier(std::string_view word) { return std::ranges::count(kQualifiers, word) > 0; }

}  // namespace cornerturn
