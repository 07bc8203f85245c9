#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/families.hpp"
#include "plan/step.hpp"

namespace cornerturn::fuzz {

/// The plans of the CPU and those of GPU kernels, by family.
std::vector<counted_family> cpu_plans();
std::vector<counted_family> gpu_plans();

/// The names of a table's families.
template <class Table>
std::vector<std::string> names_of() {
  std::vector<std::string> result;
  Table::for_each([&]<class Plan>() { result.emplace_back(Plan::family); });
  return result;
}

/// The decisions of a step: the name of its family, and the value of each decision in order.
struct step_decisions {
  std::string_view family;
  std::vector<std::string_view> values;
};

/// Throws std::bad_variant_access for transfers and clearings, which decide nothing.
step_decisions decisions_of(step const& each);

}  // namespace cornerturn::fuzz
