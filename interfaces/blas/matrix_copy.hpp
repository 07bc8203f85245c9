#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "cornerturn_blas.h"
#include "errors.hpp"

namespace cornerturn::blas {

/// What op does with a matrix.
struct matrix_op {
  bool transposes = false, conjugates = false;
};

/// The arguments of B = alpha * op(A). A column-major matrix is restated as the row-major matrix of its columns. Distances count
/// elements.
struct matrix_copy : matrix_op {
  std::int64_t rows = 0, columns = 0;                ///< of A
  std::int64_t lda = 0, ldb = 0;                     ///< between the beginnings of rows
  std::int64_t stepa = 1, stepb = 1;                 ///< between the elements of a row
  std::int64_t batch = 1, stridea = 0, strideb = 0;  ///< the matrices, and the distances between their beginnings

  std::int64_t result_rows() const { return transposes ? columns : rows; }
  std::int64_t result_columns() const { return transposes ? rows : columns; }
  bool is_empty() const { return rows == 0 || columns == 0 || batch == 0; }
};

/// The arguments of C = alpha * op(A) + beta * op(B): those of C = alpha * op(A) and of C = beta * op(B).
struct matrix_sum {
  matrix_copy a, b;
};

template <class Value>
void expect(bool holds, char const* name, Value const& value, std::string const& allowed) {
  if (!holds) refuse(name, value, allowed);
}

template <std::integral Integer>
std::int64_t number(char const* name, Integer value, std::int64_t least = 0) {
  expect(std::cmp_greater_equal(value, least), name, value, least == 0 ? "0 or more" : fmt::format("at least {}", least));
  expect(std::cmp_less_equal(value, std::numeric_limits<std::int64_t>::max()), name, value, "below 2^63");
  return std::int64_t(value);
}

/// The distance between rows of this many elements.
template <std::integral Integer>
std::int64_t pitch(char const* name, Integer value, std::int64_t elements) {
  return number(name, value, std::max<std::int64_t>(elements, 1));
}

/// The elements from the first to the last one of `count` parts, of `of_one` elements each, whose beginnings are `stride`
/// elements apart. Throws `error` for a number beyond 64 bits.
inline std::int64_t elements_of(char const* stride_name, std::int64_t count, std::int64_t of_one, std::int64_t stride,
                                char const* parts = "rows") {
  std::int64_t result;
  bool past = __builtin_mul_overflow(count - 1, stride, &result);
  past |= __builtin_add_overflow(result, of_one, &result);
  if (past)
    refuse(stride_name, stride, fmt::format("such that {} {} of {} elements are within 2^63 - 1 elements", count, parts, of_one));
  return result;
}

/// A letter of Fortran or MKL as a message shows it.
inline std::string shown(char letter) {
  return letter >= ' ' && letter <= '~' ? fmt::format("'{}'", letter) : fmt::format("{}", int(letter));
}
inline char upper(char letter) { return letter >= 'a' && letter <= 'z' ? char(letter - 'a' + 'A') : letter; }

inline bool is_column_major(int order) {
  expect(order == CblasRowMajor || order == CblasColMajor, "order", order, "101 (row-major) or 102 (column-major)");
  return order == CblasColMajor;
}
inline bool is_column_major(char ordering) {
  expect(upper(ordering) == 'R' || upper(ordering) == 'C', "ordering", shown(ordering), "'R' or 'C'");
  return upper(ordering) == 'C';
}

inline matrix_op op_of(char const* name, int trans) {
  expect(trans >= CblasNoTrans && trans <= CblasConjNoTrans, name, trans, "111 to 114");
  return {.transposes = trans == CblasTrans || trans == CblasConjTrans,
          .conjugates = trans == CblasConjTrans || trans == CblasConjNoTrans};
}
inline matrix_op op_of(char const* name, char trans) {
  char const op = upper(trans);
  expect(op == 'N' || op == 'T' || op == 'C' || op == 'R', name, shown(trans), "'N', 'T', 'C' or 'R'");
  return {.transposes = op == 'T' || op == 'C', .conjugates = op == 'C' || op == 'R'};
}

/// A copy without distances. Order and Trans are int in CBLAS, char elsewhere. Arguments are checked from the first to the
/// last one, as the other libraries do.
template <class Order, class Trans, std::integral Integer>
matrix_copy sides(Order order, Trans trans, Integer rows, Integer cols) {
  bool const by_columns = is_column_major(order);
  matrix_copy call{op_of("trans", trans)};
  call.rows = number("rows", rows), call.columns = number("cols", cols);
  if (by_columns) std::swap(call.rows, call.columns);
  return call;
}

template <class Order, class Trans, std::integral Integer>
matrix_copy stated(Order order, Trans trans, Integer rows, Integer cols, Integer lda, Integer ldb) {
  auto call = sides(order, trans, rows, cols);
  call.lda = pitch("lda", lda, call.columns), call.ldb = pitch("ldb", ldb, call.result_columns());
  return call;
}

/// A copy with distances between the elements of rows, too.
template <std::integral Integer>
matrix_copy stated_twice(char ordering, char trans, Integer rows, Integer cols, Integer lda, Integer stridea, Integer ldb,
                         Integer strideb) {
  auto call = sides(ordering, trans, rows, cols);
  auto const of_row = [](char const* name, std::int64_t columns, std::int64_t step) {
    return elements_of(name, std::max<std::int64_t>(columns, 1), 1, step, "parts");
  };
  call.stepa = number("stridea", stridea, 1);
  call.lda = pitch("lda", lda, of_row("stridea", call.columns, call.stepa));
  call.stepb = number("strideb", strideb, 1);
  call.ldb = pitch("ldb", ldb, of_row("strideb", call.result_columns(), call.stepb));
  return call;
}

/// The copies of a sum of rows x cols elements.
template <std::integral Integer>
matrix_sum stated_sum(char ordering, char transa, char transb, Integer rows, Integer cols, Integer lda, Integer ldb,
                      Integer ldc) {
  bool const by_columns = is_column_major(ordering);
  matrix_sum call{{op_of("transa", transa)}, {op_of("transb", transb)}};
  auto height = number("rows", rows), width = number("cols", cols);
  if (by_columns) std::swap(height, width);
  for (auto* const side : {&call.a, &call.b})
    side->rows = side->transposes ? width : height, side->columns = side->transposes ? height : width;
  call.a.lda = pitch("lda", lda, call.a.columns), call.b.lda = pitch("ldb", ldb, call.b.columns);
  call.a.ldb = call.b.ldb = pitch("ldc", ldc, width);
  return call;
}

}  // namespace cornerturn::blas
