#pragma once

#include <fmt/format.h>

#include <string>

#include "matrix_copy.hpp"

namespace cornerturn::blas {

/// Groups of matrices, as a function of MKL takes them: an entry for each group.
template <class T, class Integer>
struct groups {
  char ordering;
  char const* trans;
  Integer const *rows, *cols;
  T const* alpha;
  Integer const *lda, *ldb;
  Integer count;
  Integer const* size;  ///< in matrices
};

/// Calls visit(copy, alpha, i) for matrix i, of each group in turn. Errors name an entry of an array, e.g. "lda_array[1]",
/// where the arrays of A and B have an entry for each matrix.
template <class T, class Integer, class Visit>
void for_each_matrix(groups<T, Integer> const& of, Visit const& visit) {
  is_column_major(of.ordering);  // which refuses a bad letter, even if there are no groups
  auto const count = number("group_count", of.count);
  for (std::int64_t group = 0, i = 0; group < count; ++group) {
    auto const size = number(fmt::format("group_size[{}]", group).c_str(), of.size[group]);
    try {
      auto const call = stated(of.ordering, of.trans[group], of.rows[group], of.cols[group], of.lda[group], of.ldb[group]);
      for (auto const end = i + size; i < end; ++i) visit(call, of.alpha[group], i);
    } catch (error const& e) {
      bool const is_of_matrix = e.argument() == "A" || e.argument() == "B";
      throw e.with_argument(fmt::format("{}_array[{}]", e.argument(), is_of_matrix ? i : group));
    }
  }
}

}  // namespace cornerturn::blas
