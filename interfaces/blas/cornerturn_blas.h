/* BLAS's extension for transposes and sums of matrices, as OpenBLAS and MKL define it, on cornerturn's engine. Link
 * libcornerturn_blas, or preload it into a program that calls these functions of another library.
 *
 * This header is for programs that include neither OpenBLAS's cblas.h nor MKL's mkl.h, which declare the same functions. The
 * library also has Fortran's functions: omatcopy, imatcopy and geadd with the prefix s, d, c or z, and MKL's names with mkl_.
 *
 * op is the identity, the transpose, the conjugate or the conjugate transpose. Consecutive rows of a row-major matrix (columns of
 * a column-major one) are lda, ldb or ldc elements apart.
 * - omatcopy: B = alpha * op(A) for an A of rows x cols. B may be A if op does not transpose and ldb is lda.
 * - omatcopy2: the same, where the elements of a row (of a column of a column-major matrix) are stridea or strideb apart.
 * - imatcopy: A = alpha * op(A), whose rows are then ldb apart.
 * - omatadd: C = alpha * op(A) + beta * op(B) for a C of rows x cols. C may be A or B if op does not transpose it and ldc is its
 *   lda or ldb.
 * - geadd: C = alpha * A + beta * C.
 * All else that is written must not overlap what is read. A matrix with a factor of 0 is not read, whatever it holds.
 *
 * Integers have 32 bits in the functions of CBLAS and of Fortran. For a bad argument a function writes one line to standard
 * error, with the argument, its value and the limit, calls xerbla_ if the program or another library has it, and does nothing
 * else. It gets the routine's name and the argument's number as OpenBLAS or MKL count it. If memory runs out, there is only the
 * line. Several threads may call all functions at once. cornerturn_set_num_threads sets the number of threads that a function
 * uses.
 */
#pragma once

#include <stddef.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* A header of CBLAS that has no omatcopy has these, and may be included before this one. */
#ifndef CBLAS_H
typedef enum CBLAS_ORDER { CblasRowMajor = 101, CblasColMajor = 102 } CBLAS_ORDER;
typedef enum CBLAS_TRANSPOSE {
  CblasNoTrans = 111,
  CblasTrans = 112,
  CblasConjTrans = 113,
  CblasConjNoTrans = 114
} CBLAS_TRANSPOSE;
#endif

/* The layout of MKL_Complex8 and MKL_Complex16, which are passed by value. */
typedef struct {
  float real, imag;
} cornerturn_complex8;
typedef struct {
  double real, imag;
} cornerturn_complex16;

/* order: a CBLAS_ORDER; trans: a CBLAS_TRANSPOSE; alpha, beta: of a complex function they point to the real and imaginary part.
 */
void cblas_somatcopy(int order, int trans, int rows, int cols, float alpha, float const* a, int lda, float* b, int ldb);
void cblas_domatcopy(int order, int trans, int rows, int cols, double alpha, double const* a, int lda, double* b, int ldb);
void cblas_comatcopy(int order, int trans, int rows, int cols, float const* alpha, float const* a, int lda, float* b, int ldb);
void cblas_zomatcopy(int order, int trans, int rows, int cols, double const* alpha, double const* a, int lda, double* b, int ldb);

void cblas_simatcopy(int order, int trans, int rows, int cols, float alpha, float* a, int lda, int ldb);
void cblas_dimatcopy(int order, int trans, int rows, int cols, double alpha, double* a, int lda, int ldb);
void cblas_cimatcopy(int order, int trans, int rows, int cols, float const* alpha, float* a, int lda, int ldb);
void cblas_zimatcopy(int order, int trans, int rows, int cols, double const* alpha, double* a, int lda, int ldb);

void cblas_sgeadd(int order, int rows, int cols, float alpha, float const* a, int lda, float beta, float* c, int ldc);
void cblas_dgeadd(int order, int rows, int cols, double alpha, double const* a, int lda, double beta, double* c, int ldc);
void cblas_cgeadd(int order, int rows, int cols, float const* alpha, float const* a, int lda, float const* beta, float* c,
                  int ldc);
void cblas_zgeadd(int order, int rows, int cols, double const* alpha, double const* a, int lda, double const* beta, double* c,
                  int ldc);

/* MKL's functions are called by the names with mkl_; its libraries, and so this one, export these names for C: */
#define mkl_somatcopy MKL_Somatcopy
#define mkl_domatcopy MKL_Domatcopy
#define mkl_comatcopy MKL_Comatcopy
#define mkl_zomatcopy MKL_Zomatcopy
#define mkl_simatcopy MKL_Simatcopy
#define mkl_dimatcopy MKL_Dimatcopy
#define mkl_cimatcopy MKL_Cimatcopy
#define mkl_zimatcopy MKL_Zimatcopy
#define mkl_somatcopy2 MKL_Somatcopy2
#define mkl_domatcopy2 MKL_Domatcopy2
#define mkl_comatcopy2 MKL_Comatcopy2
#define mkl_zomatcopy2 MKL_Zomatcopy2
#define mkl_somatadd MKL_Somatadd
#define mkl_domatadd MKL_Domatadd
#define mkl_comatadd MKL_Comatadd
#define mkl_zomatadd MKL_Zomatadd
#define mkl_somatcopy_batch_strided MKL_Somatcopy_batch_strided
#define mkl_domatcopy_batch_strided MKL_Domatcopy_batch_strided
#define mkl_comatcopy_batch_strided MKL_Comatcopy_batch_strided
#define mkl_zomatcopy_batch_strided MKL_Zomatcopy_batch_strided
#define mkl_simatcopy_batch_strided MKL_Simatcopy_batch_strided
#define mkl_dimatcopy_batch_strided MKL_Dimatcopy_batch_strided
#define mkl_cimatcopy_batch_strided MKL_Cimatcopy_batch_strided
#define mkl_zimatcopy_batch_strided MKL_Zimatcopy_batch_strided
#define mkl_somatadd_batch_strided MKL_Somatadd_batch_strided
#define mkl_domatadd_batch_strided MKL_Domatadd_batch_strided
#define mkl_comatadd_batch_strided MKL_Comatadd_batch_strided
#define mkl_zomatadd_batch_strided MKL_Zomatadd_batch_strided
#define mkl_somatcopy_batch MKL_Somatcopy_batch
#define mkl_domatcopy_batch MKL_Domatcopy_batch
#define mkl_comatcopy_batch MKL_Comatcopy_batch
#define mkl_zomatcopy_batch MKL_Zomatcopy_batch
#define mkl_simatcopy_batch MKL_Simatcopy_batch
#define mkl_dimatcopy_batch MKL_Dimatcopy_batch
#define mkl_cimatcopy_batch MKL_Cimatcopy_batch
#define mkl_zimatcopy_batch MKL_Zimatcopy_batch

/* ordering: 'R' or 'C'; trans, transa, transb: 'N', 'T', 'C' (conjugate transpose) or 'R' (conjugate); lower case, too. */
void mkl_somatcopy(char ordering, char trans, size_t rows, size_t cols, float alpha, float const* a, size_t lda, float* b,
                   size_t ldb);
void mkl_domatcopy(char ordering, char trans, size_t rows, size_t cols, double alpha, double const* a, size_t lda, double* b,
                   size_t ldb);
void mkl_comatcopy(char ordering, char trans, size_t rows, size_t cols, cornerturn_complex8 alpha, cornerturn_complex8 const* a,
                   size_t lda, cornerturn_complex8* b, size_t ldb);
void mkl_zomatcopy(char ordering, char trans, size_t rows, size_t cols, cornerturn_complex16 alpha, cornerturn_complex16 const* a,
                   size_t lda, cornerturn_complex16* b, size_t ldb);

void mkl_simatcopy(char ordering, char trans, size_t rows, size_t cols, float alpha, float* a, size_t lda, size_t ldb);
void mkl_dimatcopy(char ordering, char trans, size_t rows, size_t cols, double alpha, double* a, size_t lda, size_t ldb);
void mkl_cimatcopy(char ordering, char trans, size_t rows, size_t cols, cornerturn_complex8 alpha, cornerturn_complex8* a,
                   size_t lda, size_t ldb);
void mkl_zimatcopy(char ordering, char trans, size_t rows, size_t cols, cornerturn_complex16 alpha, cornerturn_complex16* a,
                   size_t lda, size_t ldb);

void mkl_somatcopy2(char ordering, char trans, size_t rows, size_t cols, float alpha, float const* a, size_t lda, size_t stridea,
                    float* b, size_t ldb, size_t strideb);
void mkl_domatcopy2(char ordering, char trans, size_t rows, size_t cols, double alpha, double const* a, size_t lda,
                    size_t stridea, double* b, size_t ldb, size_t strideb);
void mkl_comatcopy2(char ordering, char trans, size_t rows, size_t cols, cornerturn_complex8 alpha, cornerturn_complex8 const* a,
                    size_t lda, size_t stridea, cornerturn_complex8* b, size_t ldb, size_t strideb);
void mkl_zomatcopy2(char ordering, char trans, size_t rows, size_t cols, cornerturn_complex16 alpha,
                    cornerturn_complex16 const* a, size_t lda, size_t stridea, cornerturn_complex16* b, size_t ldb,
                    size_t strideb);

void mkl_somatadd(char ordering, char transa, char transb, size_t rows, size_t cols, float alpha, float const* a, size_t lda,
                  float beta, float const* b, size_t ldb, float* c, size_t ldc);
void mkl_domatadd(char ordering, char transa, char transb, size_t rows, size_t cols, double alpha, double const* a, size_t lda,
                  double beta, double const* b, size_t ldb, double* c, size_t ldc);
void mkl_comatadd(char ordering, char transa, char transb, size_t rows, size_t cols, cornerturn_complex8 alpha,
                  cornerturn_complex8 const* a, size_t lda, cornerturn_complex8 beta, cornerturn_complex8 const* b, size_t ldb,
                  cornerturn_complex8* c, size_t ldc);
void mkl_zomatadd(char ordering, char transa, char transb, size_t rows, size_t cols, cornerturn_complex16 alpha,
                  cornerturn_complex16 const* a, size_t lda, cornerturn_complex16 beta, cornerturn_complex16 const* b, size_t ldb,
                  cornerturn_complex16* c, size_t ldc);

/* Batches of equal matrices: matrix i begins i * stridea elements after a, and its result i * strideb elements after b. */
void mkl_somatcopy_batch_strided(char ordering, char trans, size_t rows, size_t cols, float alpha, float const* a, size_t lda,
                                 size_t stridea, float* b, size_t ldb, size_t strideb, size_t batch_size);
void mkl_domatcopy_batch_strided(char ordering, char trans, size_t rows, size_t cols, double alpha, double const* a, size_t lda,
                                 size_t stridea, double* b, size_t ldb, size_t strideb, size_t batch_size);
void mkl_comatcopy_batch_strided(char ordering, char trans, size_t rows, size_t cols, cornerturn_complex8 alpha,
                                 cornerturn_complex8 const* a, size_t lda, size_t stridea, cornerturn_complex8* b, size_t ldb,
                                 size_t strideb, size_t batch_size);
void mkl_zomatcopy_batch_strided(char ordering, char trans, size_t rows, size_t cols, cornerturn_complex16 alpha,
                                 cornerturn_complex16 const* a, size_t lda, size_t stridea, cornerturn_complex16* b, size_t ldb,
                                 size_t strideb, size_t batch_size);

void mkl_simatcopy_batch_strided(char ordering, char trans, size_t rows, size_t cols, float alpha, float* a, size_t lda,
                                 size_t ldb, size_t stride, size_t batch_size);
void mkl_dimatcopy_batch_strided(char ordering, char trans, size_t rows, size_t cols, double alpha, double* a, size_t lda,
                                 size_t ldb, size_t stride, size_t batch_size);
void mkl_cimatcopy_batch_strided(char ordering, char trans, size_t rows, size_t cols, cornerturn_complex8 alpha,
                                 cornerturn_complex8* a, size_t lda, size_t ldb, size_t stride, size_t batch_size);
void mkl_zimatcopy_batch_strided(char ordering, char trans, size_t rows, size_t cols, cornerturn_complex16 alpha,
                                 cornerturn_complex16* a, size_t lda, size_t ldb, size_t stride, size_t batch_size);

void mkl_somatadd_batch_strided(char ordering, char transa, char transb, size_t rows, size_t cols, float alpha, float const* a,
                                size_t lda, size_t stridea, float beta, float const* b, size_t ldb, size_t strideb, float* c,
                                size_t ldc, size_t stridec, size_t batch_size);
void mkl_domatadd_batch_strided(char ordering, char transa, char transb, size_t rows, size_t cols, double alpha, double const* a,
                                size_t lda, size_t stridea, double beta, double const* b, size_t ldb, size_t strideb, double* c,
                                size_t ldc, size_t stridec, size_t batch_size);
void mkl_comatadd_batch_strided(char ordering, char transa, char transb, size_t rows, size_t cols, cornerturn_complex8 alpha,
                                cornerturn_complex8 const* a, size_t lda, size_t stridea, cornerturn_complex8 beta,
                                cornerturn_complex8 const* b, size_t ldb, size_t strideb, cornerturn_complex8* c, size_t ldc,
                                size_t stridec, size_t batch_size);
void mkl_zomatadd_batch_strided(char ordering, char transa, char transb, size_t rows, size_t cols, cornerturn_complex16 alpha,
                                cornerturn_complex16 const* a, size_t lda, size_t stridea, cornerturn_complex16 beta,
                                cornerturn_complex16 const* b, size_t ldb, size_t strideb, cornerturn_complex16* c, size_t ldc,
                                size_t stridec, size_t batch_size);

/* Groups of equal matrices: group i has group_size[i] matrices and entry i of the other arrays; a_array, b_array and ab_array
 * have an address for each matrix of all groups. All arguments are checked before the first matrix is written. */
void mkl_somatcopy_batch(char ordering, char const* trans_array, size_t const* rows_array, size_t const* cols_array,
                         float const* alpha_array, float const** a_array, size_t const* lda_array, float** b_array,
                         size_t const* ldb_array, size_t group_count, size_t const* group_size);
void mkl_domatcopy_batch(char ordering, char const* trans_array, size_t const* rows_array, size_t const* cols_array,
                         double const* alpha_array, double const** a_array, size_t const* lda_array, double** b_array,
                         size_t const* ldb_array, size_t group_count, size_t const* group_size);
void mkl_comatcopy_batch(char ordering, char const* trans_array, size_t const* rows_array, size_t const* cols_array,
                         cornerturn_complex8 const* alpha_array, cornerturn_complex8 const** a_array, size_t const* lda_array,
                         cornerturn_complex8** b_array, size_t const* ldb_array, size_t group_count, size_t const* group_size);
void mkl_zomatcopy_batch(char ordering, char const* trans_array, size_t const* rows_array, size_t const* cols_array,
                         cornerturn_complex16 const* alpha_array, cornerturn_complex16 const** a_array, size_t const* lda_array,
                         cornerturn_complex16** b_array, size_t const* ldb_array, size_t group_count, size_t const* group_size);

void mkl_simatcopy_batch(char ordering, char const* trans_array, size_t const* rows_array, size_t const* cols_array,
                         float const* alpha_array, float** ab_array, size_t const* lda_array, size_t const* ldb_array,
                         size_t group_count, size_t const* group_size);
void mkl_dimatcopy_batch(char ordering, char const* trans_array, size_t const* rows_array, size_t const* cols_array,
                         double const* alpha_array, double** ab_array, size_t const* lda_array, size_t const* ldb_array,
                         size_t group_count, size_t const* group_size);
void mkl_cimatcopy_batch(char ordering, char const* trans_array, size_t const* rows_array, size_t const* cols_array,
                         cornerturn_complex8 const* alpha_array, cornerturn_complex8** ab_array, size_t const* lda_array,
                         size_t const* ldb_array, size_t group_count, size_t const* group_size);
void mkl_zimatcopy_batch(char ordering, char const* trans_array, size_t const* rows_array, size_t const* cols_array,
                         cornerturn_complex16 const* alpha_array, cornerturn_complex16** ab_array, size_t const* lda_array,
                         size_t const* ldb_array, size_t group_count, size_t const* group_size);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
