#pragma once

#include <vector>

namespace cornerturn {

/// The quantile of the samples at `share`, interpolated between neighbours as NumPy does. Expects at least one sample, and 0 <=
/// share <= 1.
double quantile(std::vector<double> samples, double share);

/// Statistics of samples, in their unit.
struct spread {
  double mean = 0, median = 0, iqr = 0;  ///< iqr: interquartile range
};
spread spread_of(std::vector<double> const& samples);

}  // namespace cornerturn
