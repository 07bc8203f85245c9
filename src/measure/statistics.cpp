#include "measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cornerturn {

double quantile(std::vector<double> samples, double share) {
  std::ranges::sort(samples);
  double const at = share * double(samples.size() - 1);
  auto const low = std::size_t(at), high = std::min(low + 1, samples.size() - 1);
  return std::lerp(samples[low], samples[high], at - double(low));
}

spread spread_of(std::vector<double> const& samples) {
  double const sum = std::accumulate(samples.begin(), samples.end(), 0.0);
  return {sum / double(samples.size()), quantile(samples, 0.5), quantile(samples, 0.75) - quantile(samples, 0.25)};
}

}  // namespace cornerturn
