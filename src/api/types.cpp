#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string>

#include "base/refuse.hpp"
#include "cornerturn/ladder.hpp"

namespace cornerturn {
namespace {

struct named_type {
  std::string_view name;
  int bytes;
};
constexpr std::array kNamedTypes{named_type{"u8", 1},  named_type{"i8", 1},  named_type{"f8_e4m3fn", 1}, named_type{"f8_e5m2", 1},
                                 named_type{"u16", 2}, named_type{"i16", 2}, named_type{"f16", 2},       named_type{"bf16", 2},
                                 named_type{"u32", 4}, named_type{"i32", 4}, named_type{"f32", 4},       named_type{"u64", 8},
                                 named_type{"i64", 8}, named_type{"f64", 8}, named_type{"c64", 8},       named_type{"c128", 16}};

}  // namespace

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (auto const& each : kNamedTypes) names.emplace_back(each.name);
  return names;
}

int type_size(std::string_view type) {
  for (auto const& each : kNamedTypes)
    if (each.name == type) return each.bytes;
  refuse("type", fmt::format("'{}'", type), fmt::format("one of {}", fmt::join(type_names(), ", ")));
}

}  // namespace cornerturn
