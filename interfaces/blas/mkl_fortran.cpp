// MKL's functions for Fortran, which passes the lengths of letters after the other arguments; they are not read.
#include <complex>

#include "mkl.hpp"

namespace mkl = cornerturn::blas::mkl;

#define CORNERTURN_MKL_OF_FORTRAN(letter, T)                                                                                     \
  void mkl_##letter##omatcopy_(char const* ordering, char const* trans, int const* rows, int const* cols, T const* alpha,        \
                               T const* a, int const* lda, T* b, int const* ldb) {                                               \
    mkl::omatcopy("mkl_" #letter "omatcopy", *ordering, *trans, *rows, *cols, *alpha, a, *lda, b, *ldb);                         \
  }                                                                                                                              \
  void mkl_##letter##imatcopy_(char const* ordering, char const* trans, int const* rows, int const* cols, T const* alpha, T* a,  \
                               int const* lda, int const* ldb) {                                                                 \
    mkl::imatcopy("mkl_" #letter "imatcopy", *ordering, *trans, *rows, *cols, *alpha, a, *lda, *ldb);                            \
  }                                                                                                                              \
  void mkl_##letter##omatcopy2_(char const* ordering, char const* trans, int const* rows, int const* cols, T const* alpha,       \
                                T const* a, int const* lda, int const* stridea, T* b, int const* ldb, int const* strideb) {      \
    mkl::omatcopy2("mkl_" #letter "omatcopy2", *ordering, *trans, *rows, *cols, *alpha, a, *lda, *stridea, b, *ldb, *strideb);   \
  }                                                                                                                              \
  void mkl_##letter##omatadd_(char const* ordering, char const* transa, char const* transb, int const* rows, int const* cols,    \
                              T const* alpha, T const* a, int const* lda, T const* beta, T const* b, int const* ldb, T* c,       \
                              int const* ldc) {                                                                                  \
    mkl::omatadd("mkl_" #letter "omatadd", *ordering, *transa, *transb, *rows, *cols, *alpha, a, *lda, *beta, b, *ldb, c, *ldc); \
  }                                                                                                                              \
  void mkl_##letter##omatcopy_batch_strided_(char const* ordering, char const* trans, int const* rows, int const* cols,          \
                                             T const* alpha, T const* a, int const* lda, int const* stridea, T* b,               \
                                             int const* ldb, int const* strideb, int const* batch_size) {                        \
    mkl::omatcopy_batch_strided("mkl_" #letter "omatcopy_batch_strided", *ordering, *trans, *rows, *cols, *alpha, a, *lda,       \
                                *stridea, b, *ldb, *strideb, *batch_size);                                                       \
  }                                                                                                                              \
  void mkl_##letter##imatcopy_batch_strided_(char const* ordering, char const* trans, int const* rows, int const* cols,          \
                                             T const* alpha, T* a, int const* lda, int const* ldb, int const* stride,            \
                                             int const* batch_size) {                                                            \
    mkl::imatcopy_batch_strided("mkl_" #letter "imatcopy_batch_strided", *ordering, *trans, *rows, *cols, *alpha, a, *lda, *ldb, \
                                *stride, *batch_size);                                                                           \
  }                                                                                                                              \
  void mkl_##letter##omatadd_batch_strided_(char const* ordering, char const* transa, char const* transb, int const* rows,       \
                                            int const* cols, T const* alpha, T const* a, int const* lda, int const* stridea,     \
                                            T const* beta, T const* b, int const* ldb, int const* strideb, T* c, int const* ldc, \
                                            int const* stridec, int const* batch_size) {                                         \
    mkl::omatadd_batch_strided("mkl_" #letter "omatadd_batch_strided", *ordering, *transa, *transb, *rows, *cols, *alpha, a,     \
                               *lda, *stridea, *beta, b, *ldb, *strideb, c, *ldc, *stridec, *batch_size);                        \
  }                                                                                                                              \
  void mkl_##letter##omatcopy_batch_(char const* ordering, char const* trans_array, int const* rows_array,                       \
                                     int const* cols_array, T const* alpha_array, T const* const* a_array, int const* lda_array, \
                                     T* const* b_array, int const* ldb_array, int const* group_count, int const* group_size) {   \
    mkl::omatcopy_batch<T, int>(                                                                                                 \
        "mkl_" #letter "omatcopy_batch",                                                                                         \
        {*ordering, trans_array, rows_array, cols_array, alpha_array, lda_array, ldb_array, *group_count, group_size}, a_array,  \
        b_array);                                                                                                                \
  }                                                                                                                              \
  void mkl_##letter##imatcopy_batch_(char const* ordering, char const* trans_array, int const* rows_array,                       \
                                     int const* cols_array, T const* alpha_array, T* const* ab_array, int const* lda_array,      \
                                     int const* ldb_array, int const* group_count, int const* group_size) {                      \
    mkl::imatcopy_batch<T, int>(                                                                                                 \
        "mkl_" #letter "imatcopy_batch",                                                                                         \
        {*ordering, trans_array, rows_array, cols_array, alpha_array, lda_array, ldb_array, *group_count, group_size},           \
        ab_array);                                                                                                               \
  }

#pragma GCC visibility push(default)
extern "C" {

CORNERTURN_MKL_OF_FORTRAN(s, float)
CORNERTURN_MKL_OF_FORTRAN(d, double)
CORNERTURN_MKL_OF_FORTRAN(c, std::complex<float>)
CORNERTURN_MKL_OF_FORTRAN(z, std::complex<double>)
}
#pragma GCC visibility pop
