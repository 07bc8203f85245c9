// Prints, for bench/fit_cpu.py, the estimated plans of an AMD EPYC (Zen 4) and the seconds that each of its rates adds to their
// times and to those of copies of as many bytes, if the rate were 1. Reads cases as JSON from the standard input: the shape, the
// axes, the type, the steps between the indices of each mode, the type of the result, and beta.

#include <cstdint>
#include <exception>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cornerturn/element_type.hpp"
#include "cornerturn/ladder.hpp"
#include "plan/cpu_candidates.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"

namespace {

using namespace cornerturn;
using nlohmann::ordered_json;

constexpr std::pair<char const*, double cpu_rates::*> kRates[] = {
    {"memory_bytes_per_second", &cpu_rates::memory_bytes_per_second},
    {"cached_bytes_per_second", &cpu_rates::cached_bytes_per_second},
    {"image_bytes_per_second", &cpu_rates::image_bytes_per_second},
    {"joined_bytes_per_second", &cpu_rates::joined_bytes_per_second},
    {"changed_bytes_per_second", &cpu_rates::changed_bytes_per_second},
    {"instructions_per_second", &cpu_rates::instructions_per_second},
    {"source_run_seconds", &cpu_rates::source_run_seconds},
    {"threads_seconds", &cpu_rates::threads_seconds}};

ordered_json parts_of(cpu_work const& work) {
  auto nothing = kZen4Rates;
  for (auto const& [name, rate] : kRates)
    nothing.*rate = std::string_view(name).ends_with("_per_second") ? std::numeric_limits<double>::infinity() : 0;
  ordered_json result;
  for (auto const& [name, rate] : kRates) {
    auto only = nothing;
    only.*rate = 1;
    result[name] = seconds_of(work, only);
  }
  return result;
}

problem problem_of(nlohmann::json const& each) {
  std::vector<std::int64_t> const shape = each.at(0), axes = each.at(1), steps = each.at(3);
  std::string const type = each.at(2), to = each.at(4);
  double const beta = each.at(5);
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0; stride *= shape[axis] * steps[axis]) strides[axis] = stride * steps[axis];
  if (to == type && beta == 0) return permutation(shape, strides, axes, type_size(type));
  return permutation(shape, strides, axes, {element_type_named(type), element_type_named(to), 1.0, beta});
}

}  // namespace

int main() try {
  auto const hint = zen4_tiles({.threads = {.most = kZen4Rates.threads}, .byte_permutes = true});
  auto result = ordered_json::array();
  for (auto const& each : nlohmann::json::parse(std::cin)) {
    auto const given = problem_of(each);
    auto const planned = cpu_candidate_of(canonical(given), hint);
    result.push_back({{"plan", describe(planned)},
                      {"parts", parts_of(cpu_work_of(planned))},
                      {"copy", parts_of(cpu_work_of_copy(copied_bytes(given), hint))}});
  }
  std::cout << result.dump(1) << "\n";
} catch (std::exception const& e) {
  std::cerr << "cpu_work: " << e.what() << "\n";
  return 1;
}
