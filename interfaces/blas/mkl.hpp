// The bodies of MKL's functions.
#pragma once

#include <algorithm>

#include "add.hpp"
#include "groups.hpp"
#include "xerbla.hpp"

namespace cornerturn::blas::mkl {

// Integer is std::size_t in C and int in Fortran. MKL's names for xerbla_ are those in C, in both languages.

template <class T, class Integer>
void omatcopy(char const* name, char ordering, char trans, Integer rows, Integer cols, T alpha, T const* a, Integer lda, T* b,
              Integer ldb) {
  call({name, name, "ordering trans rows cols alpha A lda B ldb"},
       [&] { blas::omatcopy(stated(ordering, trans, rows, cols, lda, ldb), alpha, a, b); });
}

template <class T, class Integer>
void imatcopy(char const* name, char ordering, char trans, Integer rows, Integer cols, T alpha, T* a, Integer lda, Integer ldb) {
  call({name, name, "ordering trans rows cols alpha A lda ldb"},
       [&] { blas::imatcopy(stated(ordering, trans, rows, cols, lda, ldb), alpha, a); });
}

template <class T, class Integer>
void omatcopy2(char const* name, char ordering, char trans, Integer rows, Integer cols, T alpha, T const* a, Integer lda,
               Integer stridea, T* b, Integer ldb, Integer strideb) {
  call({name, name, "ordering trans rows cols alpha A lda stridea B ldb strideb"},
       [&] { blas::omatcopy(stated_twice(ordering, trans, rows, cols, lda, stridea, ldb, strideb), alpha, a, b); });
}

template <class T, class Integer>
void omatadd(char const* name, char ordering, char transa, char transb, Integer rows, Integer cols, T alpha, T const* a,
             Integer lda, T beta, T const* b, Integer ldb, T* c, Integer ldc) {
  call({name, name, "ordering transa transb rows cols alpha A lda beta B ldb C ldc"},
       [&] { blas::omatadd(stated_sum(ordering, transa, transb, rows, cols, lda, ldb, ldc), alpha, a, beta, b, c); });
}

/// The distance between results of `elements` elements each, or matrices in place.
template <class Integer>
std::int64_t distance(char const* name, Integer value, std::int64_t batch, std::int64_t elements) {
  auto const result = number(name, value);
  expect(batch <= 1 || result >= elements, name, result, fmt::format("at least {}, the elements of a result", elements));
  return result;
}

template <class T, class Integer>
void omatcopy_batch_strided(char const* name, char ordering, char trans, Integer rows, Integer cols, T alpha, T const* a,
                            Integer lda, Integer stridea, T* b, Integer ldb, Integer strideb, Integer batch_size) {
  call({name, name, "ordering trans rows cols alpha A lda stridea B ldb strideb batch_size"}, [&] {
    auto each = stated(ordering, trans, rows, cols, lda, ldb);
    auto const batch = number("batch_size", batch_size);
    if (each.is_empty()) return;
    each.stridea = number("stridea", stridea), each.strideb = distance("strideb", strideb, batch, elements_of_result(each));
    each.batch = batch;
    blas::omatcopy(each, alpha, a, b);
  });
}

template <class T, class Integer>
void imatcopy_batch_strided(char const* name, char ordering, char trans, Integer rows, Integer cols, T alpha, T* a, Integer lda,
                            Integer ldb, Integer stride, Integer batch_size) {
  call({name, name, "ordering trans rows cols alpha A lda ldb stride batch_size"}, [&] {
    auto each = stated(ordering, trans, rows, cols, lda, ldb);
    auto const batch = number("batch_size", batch_size);
    if (each.is_empty()) return;
    auto const elements = std::max(elements_of_a(each), elements_of_result(each));
    each.stridea = each.strideb = distance("stride", stride, batch, elements);
    elements_of("stride", batch, elements, each.stridea, "matrices");
    each.batch = batch;
    blas::imatcopy(each, alpha, a);
  });
}

template <class T, class Integer>
void omatadd_batch_strided(char const* name, char ordering, char transa, char transb, Integer rows, Integer cols, T alpha,
                           T const* a, Integer lda, Integer stridea, T beta, T const* b, Integer ldb, Integer strideb, T* c,
                           Integer ldc, Integer stridec, Integer batch_size) {
  call({name, name, "ordering transa transb rows cols alpha A lda stridea beta B ldb strideb C ldc stridec batch_size"}, [&] {
    auto each = stated_sum(ordering, transa, transb, rows, cols, lda, ldb, ldc);
    auto const batch = number("batch_size", batch_size);
    if (each.a.is_empty()) return;
    each.a.stridea = number("stridea", stridea), each.b.stridea = number("strideb", strideb);
    each.a.strideb = each.b.strideb = distance("stridec", stridec, batch, elements_of_result(each.a, "ldc"));
    each.a.batch = each.b.batch = batch;
    blas::omatadd(each, alpha, a, beta, b, c);
  });
}

template <class T, class Integer>
void omatcopy_batch(char const* name, groups<T, Integer> const& of, T const* const* a, T* const* b) {
  call({name, name,
        "ordering trans_array rows_array cols_array alpha_array A_array lda_array B_array ldb_array group_count group_size"},
       [&] {
         for_each_matrix(of, [&](matrix_copy const& each, std::int64_t i) {
           if (!each.is_empty()) expect_matrices(each, a[i], b[i]);
         });
         for_each_run(of, [&](matrix_copy const& each, T alpha, std::int64_t i, std::int64_t left) {
           auto const batch = batch_of(each, a + i, b + i, left);
           blas::omatcopy(batch, alpha, a[i], b[i]);
           return batch.batch;
         });
       });
}

template <class T, class Integer>
void imatcopy_batch(char const* name, groups<T, Integer> const& of, T* const* a) {
  call({name, name, "ordering trans_array rows_array cols_array alpha_array A_array lda_array ldb_array group_count group_size"},
       [&] {
         for_each_matrix(of, [&](matrix_copy const& each, std::int64_t i) {
           if (!each.is_empty()) expect_matrix(each, a[i]);
         });
         for_each_run(of, [&](matrix_copy const& each, T alpha, std::int64_t i, std::int64_t) {
           blas::imatcopy(each, alpha, a[i]);
           return 1;
         });
       });
}

}  // namespace cornerturn::blas::mkl
