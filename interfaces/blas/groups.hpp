#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "copy.hpp"
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

/// Calls visit(copy, alpha, i, left) for matrix i, of each group in turn, where `left` matrices of the group are left. It returns
/// how many it has visited. Errors name an entry of an array, e.g. "lda_array[1]", where the arrays of A and B have an entry for
/// each matrix.
template <class T, class Integer, class Visit>
void for_each_run(groups<T, Integer> const& of, Visit const& visit) {
  is_column_major(of.ordering);  // which refuses a bad letter, even if there are no groups
  auto const count = number("group_count", of.count);
  for (std::int64_t group = 0, i = 0; group < count; ++group) {
    auto const size = number(fmt::format("group_size[{}]", group).c_str(), of.size[group]);
    try {
      auto const call = stated(of.ordering, of.trans[group], of.rows[group], of.cols[group], of.lda[group], of.ldb[group]);
      for (auto const end = i + size; i < end;) i += visit(call, of.alpha[group], i, end - i);
    } catch (error const& e) {
      bool const is_of_matrix = e.argument() == "A" || e.argument() == "B";
      throw e.with_argument(fmt::format("{}_array[{}]", e.argument(), is_of_matrix ? i : group));
    }
  }
}

/// Calls visit(copy, i) for matrix i, of each group in turn.
template <class T, class Integer, class Visit>
void for_each_matrix(groups<T, Integer> const& of, Visit const& visit) {
  for_each_run(of, [&](matrix_copy const& call, T, std::int64_t i, std::int64_t) {
    visit(call, i);
    return 1;
  });
}

/// The first of `count` matrices A and B that are one batch for the engine, which divides it among threads: their addresses are
/// equally far apart, and no B overlaps another B or an A. They have the arguments of `call`.
template <class T>
matrix_copy batch_of(matrix_copy call, T const* const* a, T* const* b, std::int64_t count) {
  auto const distance = [](T const* from, T const* to) {
    return std::int64_t(reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from));
  };
  auto const place = [](T const* matrix) { return reinterpret_cast<std::uintptr_t>(matrix); };
  if (count < 2 || call.is_empty()) return call;
  auto const size = std::int64_t(sizeof(T)), of_a = distance(a[0], a[1]), of_b = distance(b[0], b[1]);
  auto const bytes_of_a = elements_of_a(call) * size, bytes_of_b = elements_of_result(call) * size;
  if (of_a < 0 || of_a % size != 0 || of_b < bytes_of_b || of_b % size != 0) return call;
  for (std::int64_t i = 1; i < count; ++i) {
    bool const is_next = distance(a[i - 1], a[i]) == of_a && distance(b[i - 1], b[i]) == of_b;
    bool const is_apart = place(a[i]) + std::uintptr_t(bytes_of_a) <= place(b[0]) ||
                          place(b[i]) + std::uintptr_t(bytes_of_b) <= place(a[0]);
    if (!is_next || !is_apart) break;
    call.batch = i + 1, call.stridea = of_a / size, call.strideb = of_b / size;
  }
  return call;
}

}  // namespace cornerturn::blas
