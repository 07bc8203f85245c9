#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "arrays.hpp"
#include "cornerturn/cornerturn.hpp"
#include "element_types.hpp"
#include "matrix_copy.hpp"

namespace cornerturn::blas {

/// The size of the pieces of a matrix that go through memory: large enough for two threads, and small enough for the caches.
inline constexpr std::int64_t kPieceBytes = 4 << 20;

/// The rows of a piece.
template <class T>
std::int64_t rows_of_piece(std::int64_t rows, std::int64_t columns) {
  return std::clamp<std::int64_t>(kPieceBytes / std::int64_t(sizeof(T)) / columns, 1, rows);
}

template <class T>
std::unique_ptr<T[]> memory_for(std::int64_t elements) {
  return std::make_unique_for_overwrite<T[]>(std::size_t(elements));
}

template <class T>
bool changes_sign(matrix_op const& op) {
  return op.conjugates && !std::is_floating_point_v<T>;
}

/// B = alpha * op(A) + beta * B for matrices whose addresses do not overlap.
template <class T>
void move(matrix_copy const& call, T alpha, T const* a, T beta, T* b) {
  std::int64_t const along = call.transposes ? call.stepa : call.lda, across = call.transposes ? call.lda : call.stepa;
  std::int64_t const read[] = {call.stridea, along, across}, written[] = {call.strideb, call.ldb, call.stepb};
  strided_copy(a, read, b, written, {call.batch, call.result_rows(), call.result_columns()},
               element_operation{.source = kTypeOf<T>,
                                 .destination = kTypeOf<T>,
                                 .alpha = std::complex<double>(alpha),
                                 .beta = std::complex<double>(beta),
                                 .conjugate = call.conjugates});
}

/// B = alpha * op(A). A is not read if alpha is 0.
template <class T>
void copy(matrix_copy const& call, T alpha, T const* a, T* b) {
  if (alpha != T(0)) return move(call, alpha, a, T(0), b);
  for (std::int64_t i = 0; i < call.batch; ++i)
    for (std::int64_t row = 0; row < call.result_rows(); ++row)
      for (std::int64_t column = 0; column < call.result_columns(); ++column)
        b[i * call.strideb + row * call.ldb + column * call.stepb] = T(0);
}

/// A = alpha * op(A), where op does not transpose. Panels of rows go through memory, the last one first if the pitch grows.
template <class T>
void replace_rows(matrix_copy const& call, T alpha, T* a) {
  auto const height = rows_of_piece<T>(call.rows, call.columns);
  auto const memory = memory_for<T>(height * call.columns);
  auto const panels = (call.rows + height - 1) / height;
  for (std::int64_t i = 0; i < panels; ++i) {
    auto const first = (call.ldb <= call.lda ? i : panels - 1 - i) * height;
    auto to_memory = call, from_memory = call;
    to_memory.rows = from_memory.rows = std::min(height, call.rows - first);
    to_memory.ldb = from_memory.lda = call.columns, to_memory.stepb = from_memory.stepa = 1;
    from_memory.conjugates = false;
    copy(to_memory, alpha, a + first * call.lda, memory.get());
    copy(from_memory, T(1), memory.get(), a + first * call.ldb);
  }
}

/// A = alpha * op(A) for a square that is transposed and keeps its pitch. Each tile changes places with its counterpart across
/// the diagonal.
template <class T>
void replace_square(matrix_copy const& call, T alpha, T* a) {
  auto const width = std::min(std::int64_t(std::sqrt(kPieceBytes / sizeof(T))), call.rows);
  auto const memory = memory_for<T>(width * width);
  for (std::int64_t i = 0; i < call.rows; i += width)
    for (std::int64_t j = i; j < call.rows; j += width) {
      auto const height = std::min(width, call.rows - i), length = std::min(width, call.rows - j);
      T *const upper = a + i * call.lda + j, *const lower = a + j * call.lda + i;
      auto to_memory = call, to_upper = call;
      to_memory.rows = height, to_memory.columns = length, to_memory.ldb = height;
      copy(to_memory, alpha, upper, memory.get());
      to_upper.rows = length, to_upper.columns = height;
      if (i != j) copy(to_upper, alpha, lower, upper);
      matrix_copy to_lower;
      to_lower.rows = length, to_lower.columns = height, to_lower.lda = height, to_lower.ldb = call.lda;
      copy(to_lower, T(1), memory.get(), lower);
    }
}

/// True if the engine has transposed the dense matrix in place.
template <class T>
bool transposed_in_place(matrix_copy const& call, T* a) {
  try {
    permute_inplace(a, {call.rows, call.columns}, {1, 0}, sizeof(T));
    return true;
  } catch (error const&) {
    return false;  // a shape that is not supported in place, or too little workspace: nothing has moved
  }
}

/// A = alpha * op(A) for one matrix, where the result has rows of call.ldb elements.
template <class T>
void replace(matrix_copy const& call, T alpha, T* a) {
  bool const changes = alpha != T(1) || changes_sign<T>(call);
  bool const is_dense = call.lda == call.columns && call.ldb == call.result_columns();
  if (alpha == T(0)) return copy(call, alpha, a, a);
  if (!call.transposes) {
    if (changes || call.lda != call.ldb) replace_rows(call, alpha, a);
    return;
  }
  if (call.rows == call.columns && call.lda == call.ldb && (changes || !is_dense)) return replace_square(call, alpha, a);
  if (is_dense && !changes && transposed_in_place(call, a)) return;
  auto to_memory = call;
  to_memory.ldb = call.result_columns();
  auto const memory = memory_for<T>(to_memory.ldb * call.result_rows());
  copy(to_memory, alpha, a, memory.get());
  matrix_copy from_memory;
  from_memory.rows = call.result_rows(), from_memory.columns = call.result_columns();
  from_memory.lda = to_memory.ldb, from_memory.ldb = call.ldb;
  copy(from_memory, T(1), memory.get(), a);
}

/// Replaces each matrix of a batch.
template <class T>
void replace_each(matrix_copy call, T alpha, T* a) {
  auto const batch = std::exchange(call.batch, 1), stride = call.strideb;
  for (std::int64_t i = 0; i < batch; ++i) replace(call, alpha, a + i * stride);
}

/// The elements of A and of the result, from the first to the last one of the batch.
inline std::int64_t elements_of_a(matrix_copy const& call, char const* pitch_name = "lda", char const* stride_name = "stridea") {
  auto const row = elements_of(stride_name, call.columns, 1, call.stepa, "parts");
  return elements_of(stride_name, call.batch, elements_of(pitch_name, call.rows, row, call.lda), call.stridea, "matrices");
}
inline std::int64_t elements_of_result(matrix_copy const& call, char const* pitch_name = "ldb",
                                       char const* stride_name = "strideb") {
  auto const row = elements_of(stride_name, call.result_columns(), 1, call.stepb, "parts");
  return elements_of(stride_name, call.batch, elements_of(pitch_name, call.result_rows(), row, call.ldb), call.strideb,
                     "matrices");
}

/// True if each element of the result has the place of the element that it is computed from, should A and the result begin at one
/// address.
inline bool keeps_places(matrix_copy const& call) {
  return !call.transposes && call.lda == call.ldb && call.stepa == call.stepb &&
         (call.batch <= 1 || call.stridea == call.strideb);
}

/// Throws `error` for matrices that B = alpha * op(A) cannot have.
template <class T>
void expect_matrices(matrix_copy const& call, T const* a, T const* b) {
  named_array const read{"A", a, elements_of_a(call), sizeof(T)}, written{"B", b, elements_of_result(call), sizeof(T)};
  if (a == b && keeps_places(call))
    expect_array(written);
  else
    expect_apart(written, read);
}

/// B = alpha * op(A) for matrices that `expect_matrices` accepts.
template <class T>
void copy_or_replace(matrix_copy const& call, T alpha, T const* a, T* b) {
  if (a == b)
    replace_each(call, alpha, b);
  else
    copy(call, alpha, a, b);
}

/// B = alpha * op(A). If B is A, each element keeps its place.
template <class T>
void omatcopy(matrix_copy const& call, T alpha, T const* a, T* b) {
  if (call.is_empty()) return;
  expect_matrices(call, a, b);
  copy_or_replace(call, alpha, a, b);
}

/// Throws `error` for a matrix that A = alpha * op(A) cannot have.
template <class T>
void expect_matrix(matrix_copy const& call, T const* a) {
  for (auto const elements : {elements_of_a(call), elements_of_result(call)}) expect_array({"A", a, elements, sizeof(T)});
}

/// A = alpha * op(A).
template <class T>
void imatcopy(matrix_copy const& call, T alpha, T* a) {
  if (call.is_empty()) return;
  expect_matrix(call, a);
  replace_each(call, alpha, a);
}

}  // namespace cornerturn::blas
