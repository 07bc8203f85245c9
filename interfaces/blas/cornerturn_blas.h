/* BLAS's extension for transposes, as OpenBLAS and MKL define it, on cornerturn's engine. Link libcornerturn_blas, or preload it
 * into a program that calls these functions of another library.
 *
 * This header is for programs that include neither OpenBLAS's cblas.h nor MKL's mkl.h, which declare the same functions. The
 * library also has Fortran's functions: omatcopy and imatcopy with the prefix s, d, c or z, and the same after mkl_.
 *
 * omatcopy writes B = alpha * op(A) for an A of rows x cols, where op is the identity, the transpose, the conjugate or the
 * conjugate transpose. Consecutive rows of a row-major matrix (columns of a column-major one) are lda or ldb elements apart.
 * imatcopy replaces A by the result, whose rows are then ldb apart. An alpha of 0 gives zeros, whatever A holds.
 *
 * Integers have 32 bits in the functions of CBLAS and of Fortran. For a bad argument, and if memory runs out, a function writes
 * one line to standard error, with the argument, its value and the limit, and does nothing else, like xerbla. Several threads may
 * call all functions at once. cornerturn_set_num_threads sets the number of threads that a function uses.
 */
#pragma once

#include <stddef.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* The values of CBLAS_ORDER and CBLAS_TRANSPOSE. */
enum cornerturn_blas_order { CornerturnRowMajor = 101, CornerturnColMajor = 102 };
enum cornerturn_blas_transpose {
  CornerturnNoTrans = 111,
  CornerturnTrans = 112,
  CornerturnConjTrans = 113,
  CornerturnConjNoTrans = 114
};

/* The layout of MKL_Complex8 and MKL_Complex16, which are passed by value. */
typedef struct {
  float real, imag;
} cornerturn_complex8;
typedef struct {
  double real, imag;
} cornerturn_complex16;

/* order, trans: as above; alpha of a complex function points to its real and imaginary part. */
void cblas_somatcopy(int order, int trans, int rows, int cols, float alpha, float const* a, int lda, float* b, int ldb);
void cblas_domatcopy(int order, int trans, int rows, int cols, double alpha, double const* a, int lda, double* b, int ldb);
void cblas_comatcopy(int order, int trans, int rows, int cols, float const* alpha, float const* a, int lda, float* b, int ldb);
void cblas_zomatcopy(int order, int trans, int rows, int cols, double const* alpha, double const* a, int lda, double* b, int ldb);

void cblas_simatcopy(int order, int trans, int rows, int cols, float alpha, float* a, int lda, int ldb);
void cblas_dimatcopy(int order, int trans, int rows, int cols, double alpha, double* a, int lda, int ldb);
void cblas_cimatcopy(int order, int trans, int rows, int cols, float const* alpha, float* a, int lda, int ldb);
void cblas_zimatcopy(int order, int trans, int rows, int cols, double const* alpha, double* a, int lda, int ldb);

/* MKL's functions are called by the names with mkl_; its libraries, and so this one, export these names for C: */
#define mkl_somatcopy MKL_Somatcopy
#define mkl_domatcopy MKL_Domatcopy
#define mkl_comatcopy MKL_Comatcopy
#define mkl_zomatcopy MKL_Zomatcopy
#define mkl_simatcopy MKL_Simatcopy
#define mkl_dimatcopy MKL_Dimatcopy
#define mkl_cimatcopy MKL_Cimatcopy
#define mkl_zimatcopy MKL_Zimatcopy
#define mkl_somatcopy_batch_strided MKL_Somatcopy_batch_strided
#define mkl_domatcopy_batch_strided MKL_Domatcopy_batch_strided
#define mkl_comatcopy_batch_strided MKL_Comatcopy_batch_strided
#define mkl_zomatcopy_batch_strided MKL_Zomatcopy_batch_strided

/* ordering: 'R' or 'C'; trans: 'N', 'T', 'C' (conjugate transpose) or 'R' (conjugate); lower case, too. */
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

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
