#pragma once

#include <vector>

namespace cornerturn {

/// The value below which a share of the samples lies, interpolated between neighbours as NumPy does; samples not empty, 0 <=
/// share <= 1.
double quantile(std::vector<double> samples, double share);

struct spread {
  double mean = 0, median = 0, iqr = 0;  ///< iqr: from the first quartile to the third
};
spread spread_of(std::vector<double> const& samples);

}  // namespace cornerturn
