// MKL's functions for C.
#include <bit>
#include <complex>
#include <cstddef>

#include "cornerturn_blas.h"
#include "mkl.hpp"

static_assert(sizeof(std::complex<float>) == sizeof(cornerturn_complex8));
static_assert(sizeof(std::complex<double>) == sizeof(cornerturn_complex16));

namespace mkl = cornerturn::blas::mkl;

// By the letter of BLAS. T is the type of elements, Data is its name in the header.
#define CORNERTURN_MKL_OF_C(letter, LETTER, T, Data)                                                                             \
  void MKL_##LETTER##omatcopy(char ordering, char trans, size_t rows, size_t cols, Data alpha, Data const* a, size_t lda,        \
                              Data* b, size_t ldb) {                                                                             \
    mkl::omatcopy("mkl_" #letter "omatcopy", ordering, trans, rows, cols, std::bit_cast<T>(alpha),                               \
                  reinterpret_cast<T const*>(a), lda, reinterpret_cast<T*>(b), ldb);                                             \
  }                                                                                                                              \
  void MKL_##LETTER##imatcopy(char ordering, char trans, size_t rows, size_t cols, Data alpha, Data* a, size_t lda,              \
                              size_t ldb) {                                                                                      \
    mkl::imatcopy("mkl_" #letter "imatcopy", ordering, trans, rows, cols, std::bit_cast<T>(alpha), reinterpret_cast<T*>(a), lda, \
                  ldb);                                                                                                          \
  }                                                                                                                              \
  void MKL_##LETTER##omatcopy2(char ordering, char trans, size_t rows, size_t cols, Data alpha, Data const* a, size_t lda,       \
                               size_t stridea, Data* b, size_t ldb, size_t strideb) {                                            \
    mkl::omatcopy2("mkl_" #letter "omatcopy2", ordering, trans, rows, cols, std::bit_cast<T>(alpha),                             \
                   reinterpret_cast<T const*>(a), lda, stridea, reinterpret_cast<T*>(b), ldb, strideb);                          \
  }                                                                                                                              \
  void MKL_##LETTER##omatadd(char ordering, char transa, char transb, size_t rows, size_t cols, Data alpha, Data const* a,       \
                             size_t lda, Data beta, Data const* b, size_t ldb, Data* c, size_t ldc) {                            \
    mkl::omatadd("mkl_" #letter "omatadd", ordering, transa, transb, rows, cols, std::bit_cast<T>(alpha),                        \
                 reinterpret_cast<T const*>(a), lda, std::bit_cast<T>(beta), reinterpret_cast<T const*>(b), ldb,                 \
                 reinterpret_cast<T*>(c), ldc);                                                                                  \
  }                                                                                                                              \
  void MKL_##LETTER##omatcopy_batch_strided(char ordering, char trans, size_t rows, size_t cols, Data alpha, Data const* a,      \
                                            size_t lda, size_t stridea, Data* b, size_t ldb, size_t strideb,                     \
                                            size_t batch_size) {                                                                 \
    mkl::omatcopy_batch_strided("mkl_" #letter "omatcopy_batch_strided", ordering, trans, rows, cols, std::bit_cast<T>(alpha),   \
                                reinterpret_cast<T const*>(a), lda, stridea, reinterpret_cast<T*>(b), ldb, strideb, batch_size); \
  }                                                                                                                              \
  void MKL_##LETTER##imatcopy_batch_strided(char ordering, char trans, size_t rows, size_t cols, Data alpha, Data* a,            \
                                            size_t lda, size_t ldb, size_t stride, size_t batch_size) {                          \
    mkl::imatcopy_batch_strided("mkl_" #letter "imatcopy_batch_strided", ordering, trans, rows, cols, std::bit_cast<T>(alpha),   \
                                reinterpret_cast<T*>(a), lda, ldb, stride, batch_size);                                          \
  }                                                                                                                              \
  void MKL_##LETTER##omatadd_batch_strided(char ordering, char transa, char transb, size_t rows, size_t cols, Data alpha,        \
                                           Data const* a, size_t lda, size_t stridea, Data beta, Data const* b, size_t ldb,      \
                                           size_t strideb, Data* c, size_t ldc, size_t stridec, size_t batch_size) {             \
    mkl::omatadd_batch_strided("mkl_" #letter "omatadd_batch_strided", ordering, transa, transb, rows, cols,                     \
                               std::bit_cast<T>(alpha), reinterpret_cast<T const*>(a), lda, stridea, std::bit_cast<T>(beta),     \
                               reinterpret_cast<T const*>(b), ldb, strideb, reinterpret_cast<T*>(c), ldc, stridec, batch_size);  \
  }                                                                                                                              \
  void MKL_##LETTER##omatcopy_batch(char ordering, char const* trans_array, size_t const* rows_array, size_t const* cols_array,  \
                                    Data const* alpha_array, Data const** a_array, size_t const* lda_array, Data** b_array,      \
                                    size_t const* ldb_array, size_t group_count, size_t const* group_size) {                     \
    mkl::omatcopy_batch<T, size_t>("mkl_" #letter "omatcopy_batch",                                                              \
                                   {ordering, trans_array, rows_array, cols_array, reinterpret_cast<T const*>(alpha_array),      \
                                    lda_array, ldb_array, group_count, group_size},                                              \
                                   reinterpret_cast<T const* const*>(a_array), reinterpret_cast<T* const*>(b_array));            \
  }                                                                                                                              \
  void MKL_##LETTER##imatcopy_batch(char ordering, char const* trans_array, size_t const* rows_array, size_t const* cols_array,  \
                                    Data const* alpha_array, Data** ab_array, size_t const* lda_array, size_t const* ldb_array,  \
                                    size_t group_count, size_t const* group_size) {                                              \
    mkl::imatcopy_batch<T, size_t>("mkl_" #letter "imatcopy_batch",                                                              \
                                   {ordering, trans_array, rows_array, cols_array, reinterpret_cast<T const*>(alpha_array),      \
                                    lda_array, ldb_array, group_count, group_size},                                              \
                                   reinterpret_cast<T* const*>(ab_array));                                                       \
  }

#pragma GCC visibility push(default)
extern "C" {

CORNERTURN_MKL_OF_C(s, S, float, float)
CORNERTURN_MKL_OF_C(d, D, double, double)
CORNERTURN_MKL_OF_C(c, C, std::complex<float>, cornerturn_complex8)
CORNERTURN_MKL_OF_C(z, Z, std::complex<double>, cornerturn_complex16)
}
#pragma GCC visibility pop
