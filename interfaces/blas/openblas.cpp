// OpenBLAS's functions, for C by CBLAS, and for Fortran.
#include <complex>

#include "add.hpp"
#include "cornerturn_blas.h"
#include "xerbla.hpp"

namespace cornerturn::blas {
namespace {

// The arguments by OpenBLAS's numbers. It numbers ldb of the complex functions in place as if B came before it, and the arguments
// of cblas_?geadd as in Fortran, which has no order.
constexpr auto kCblasArguments = "order trans rows cols alpha A lda B ldb",
               kFortranArguments = "ordering trans rows cols alpha A lda B ldb",
               kCblasInPlace = "order trans rows cols alpha A lda ldb",
               kFortranInPlace = "ordering trans rows cols alpha A lda ldb", kSumArguments = "rows cols alpha A lda beta C ldc";

/// A factor of CBLAS: a number, or a pointer to a complex number.
template <class T>
T value_of(char const*, T factor) {
  return factor;
}
template <class T>
T value_of(char const* name, void const* factor) {
  expect(factor != nullptr, name, "null", "the address of a complex number");
  return *static_cast<T const*>(factor);
}

/// C = alpha * A + beta * C.
template <class T, class Order>
void geadd(Order order, int rows, int cols, T alpha, T const* a, int lda, T beta, T* c, int ldc) {
  matrix_sum call{sides(order, 'N', rows, cols), {}};
  call.a.lda = pitch("lda", lda, call.a.columns), call.a.ldb = pitch("ldc", ldc, call.a.columns);
  call.b = call.a;
  call.b.lda = call.b.ldb;
  omatadd(call, alpha, a, beta, c, c);
}

}  // namespace
}  // namespace cornerturn::blas

using namespace cornerturn::blas;
using c64 = std::complex<float>;
using c128 = std::complex<double>;

// The functions of CBLAS and of Fortran, by the letter of BLAS. T is the type of elements; Factor and Data are the types of
// factors and of matrices in CBLAS; the last two are the arguments of imatcopy. Fortran passes the lengths of the letters after
// the other arguments; they are not read.
#define CORNERTURN_OPENBLAS(letter, LETTER, T, Factor, Data, cblas_in_place, fortran_in_place)                                   \
  void cblas_##letter##omatcopy(int order, int trans, int rows, int cols, Factor alpha, Data const* a, int lda, Data* b,         \
                                int ldb) {                                                                                       \
    call({"cblas_" #letter "omatcopy", LETTER "OMATCOPY", kCblasArguments}, [&] {                                                \
      omatcopy(stated(order, trans, rows, cols, lda, ldb), value_of<T>("alpha", alpha), reinterpret_cast<T const*>(a),           \
               reinterpret_cast<T*>(b));                                                                                         \
    });                                                                                                                          \
  }                                                                                                                              \
  void cblas_##letter##imatcopy(int order, int trans, int rows, int cols, Factor alpha, Data* a, int lda, int ldb) {             \
    call({"cblas_" #letter "imatcopy", LETTER "IMATCOPY", cblas_in_place},                                                       \
         [&] { imatcopy(stated(order, trans, rows, cols, lda, ldb), value_of<T>("alpha", alpha), reinterpret_cast<T*>(a)); });   \
  }                                                                                                                              \
  void cblas_##letter##geadd(int order, int rows, int cols, Factor alpha, Data const* a, int lda, Factor beta, Data* c,          \
                             int ldc) {                                                                                          \
    call({"cblas_" #letter "geadd", LETTER "GEADD ", kSumArguments}, [&] {                                                       \
      geadd(order, rows, cols, value_of<T>("alpha", alpha), reinterpret_cast<T const*>(a), lda, value_of<T>("beta", beta),       \
            reinterpret_cast<T*>(c), ldc);                                                                                       \
    });                                                                                                                          \
  }                                                                                                                              \
  void letter##omatcopy_(char const* order, char const* trans, int const* rows, int const* cols, T const* alpha, T const* a,     \
                         int const* lda, T* b, int const* ldb) {                                                                 \
    call({#letter "omatcopy", LETTER "OMATCOPY", kFortranArguments},                                                             \
         [&] { omatcopy(stated(*order, *trans, *rows, *cols, *lda, *ldb), *alpha, a, b); });                                     \
  }                                                                                                                              \
  void letter##imatcopy_(char const* order, char const* trans, int const* rows, int const* cols, T const* alpha, T* a,           \
                         int const* lda, int const* ldb) {                                                                       \
    call({#letter "imatcopy", LETTER "IMATCOPY", fortran_in_place},                                                              \
         [&] { imatcopy(stated(*order, *trans, *rows, *cols, *lda, *ldb), *alpha, a); });                                        \
  }                                                                                                                              \
  void letter##geadd_(int const* rows, int const* cols, T const* alpha, T const* a, int const* lda, T const* beta, T* c,         \
                      int const* ldc) {                                                                                          \
    call({#letter "geadd", LETTER "GEADD ", kSumArguments}, [&] { geadd('C', *rows, *cols, *alpha, a, *lda, *beta, c, *ldc); }); \
  }

#pragma GCC visibility push(default)
extern "C" {

CORNERTURN_OPENBLAS(s, "S", float, float, float, kCblasInPlace, kFortranInPlace)
CORNERTURN_OPENBLAS(d, "D", double, double, double, kCblasInPlace, kFortranInPlace)
CORNERTURN_OPENBLAS(c, "C", c64, float const*, float, kCblasArguments, kFortranArguments)
CORNERTURN_OPENBLAS(z, "Z", c128, double const*, double, kCblasArguments, kFortranArguments)
}
#pragma GCC visibility pop
