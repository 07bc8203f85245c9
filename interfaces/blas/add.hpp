#pragma once

#include "copy.hpp"

namespace cornerturn::blas {

/// B = alpha * op(A) + beta * B. A is not read if alpha is 0, and what B holds has no effect if beta is 0.
template <class T>
void update(matrix_copy const& call, T alpha, T const* a, T beta, T* b) {
  if (alpha != T(0)) return move(call, alpha, a, beta, b);
  matrix_copy scaled;
  scaled.rows = call.result_rows(), scaled.columns = call.result_columns(), scaled.lda = scaled.ldb = call.ldb;
  replace(scaled, beta, b);
}

/// The part of a copy that makes `height` rows of the result, and where it begins in A.
inline matrix_copy rows_of(matrix_copy part, std::int64_t height) {
  (part.transposes ? part.columns : part.rows) = height;
  return part;
}
inline std::int64_t place_of_row(matrix_copy const& call, std::int64_t row) { return row * (call.transposes ? 1 : call.lda); }

/// C = alpha * op(A) + beta * op(B). If C is A or B, its elements keep their places. One pass suffices if C is one of them, and
/// its elements are not conjugated. Else panels of C are made in two steps each, so that the second step finds them in the
/// caches; they are made in memory beside C if C is A or B.
template <class T>
void add(matrix_sum const& call, T alpha, T const* a, T beta, T const* b, T* c) {
  if (c == b && c != a && !changes_sign<T>(call.b)) return update(call.a, alpha, a, beta, c);
  if (c == a && c != b && !changes_sign<T>(call.a)) return update(call.b, beta, b, alpha, c);
  auto const rows = call.a.result_rows(), columns = call.a.result_columns(), height = rows_of_piece<T>(rows, columns);
  auto const memory = c == a || c == b ? memory_for<T>(height * columns) : nullptr;
  for (std::int64_t first = 0; first < rows; first += height) {
    auto const count = std::min(height, rows - first);
    T* const place = c + first * call.a.ldb;
    auto of_a = rows_of(call.a, count), of_b = rows_of(call.b, count);
    if (memory) of_a.ldb = of_b.ldb = columns;
    T* const sum = memory ? memory.get() : place;
    copy(of_a, alpha, a + place_of_row(call.a, first), sum);
    update(of_b, beta, b + place_of_row(call.b, first), T(1), sum);
    if (!memory) continue;
    matrix_copy to_place;
    to_place.rows = count, to_place.columns = columns, to_place.lda = columns, to_place.ldb = call.a.ldb;
    copy(to_place, T(1), sum, place);
  }
}

/// C = alpha * op(A) + beta * op(B) for each matrix of a batch, after a check of all.
template <class T>
void omatadd(matrix_sum const& call, T alpha, T const* a, T beta, T const* b, T* c) {
  if (call.a.is_empty()) return;
  named_array const written{"C", c, elements_of_result(call.a, "ldc", "stridec"), sizeof(T)};
  auto const expect_operand = [&](matrix_copy const& of, named_array const& read) {
    if (read.address == c && keeps_places(of))
      expect_array(written);
    else
      expect_apart(written, read);
  };
  expect_operand(call.a, {"A", a, elements_of_a(call.a), sizeof(T)});
  expect_operand(call.b, {"B", b, elements_of_a(call.b, "ldb", "strideb"), sizeof(T)});
  auto each = call;
  each.a.batch = each.b.batch = 1;
  for (std::int64_t i = 0; i < call.a.batch; ++i)
    add(each, alpha, a + i * call.a.stridea, beta, b + i * call.b.stridea, c + i * call.a.strideb);
}

}  // namespace cornerturn::blas
