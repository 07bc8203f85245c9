#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

#include "arrays.hpp"
#include "cornerturn/cornerturn.hpp"
#include "cornerturn_blas.h"
#include "element_types.hpp"
#include "errors.hpp"

static_assert(sizeof(std::complex<float>) == sizeof(cornerturn_complex8));
static_assert(sizeof(std::complex<double>) == sizeof(cornerturn_complex16));

namespace cornerturn::blas {
namespace {

/// The size of the pieces of a matrix that go through memory: large enough for two threads, and small enough for the caches.
constexpr std::int64_t kPieceBytes = 4 << 20;

/// The arguments of a call. A column-major matrix is restated as the row-major matrix of its columns.
struct request {
  bool transposes = false, conjugates = false;
  std::int64_t rows = 0, columns = 0;  ///< of A, row-major
  std::int64_t lda = 0, ldb = 0;
  std::int64_t batch = 1, stridea = 0, strideb = 0;

  std::int64_t result_rows() const { return transposes ? columns : rows; }
  std::int64_t result_columns() const { return transposes ? rows : columns; }
  bool is_empty() const { return rows == 0 || columns == 0 || batch == 0; }
};

template <class Value>
void expect(bool holds, char const* name, Value const& value, std::string const& allowed) {
  if (!holds) refuse(name, value, allowed);
}

/// Exchanges rows and columns of a column-major matrix.
template <class Value>
void set_order(request& call, char const* name, bool is_row_major, bool is_column_major, Value const& value,
               char const* allowed) {
  expect(is_row_major || is_column_major, name, value, allowed);
  if (is_column_major) std::swap(call.rows, call.columns);
}

template <std::integral Integer>
std::int64_t number(char const* name, Integer value) {
  expect(value >= 0, name, value, "0 or more");
  expect(std::uint64_t(value) <= std::uint64_t(std::numeric_limits<std::int64_t>::max()), name, value, "below 2^63");
  return std::int64_t(value);
}

void check_rows(request const& call) {
  auto const least = [](std::int64_t columns) { return std::max<std::int64_t>(columns, 1); };
  expect(call.lda >= least(call.columns), "lda", call.lda, fmt::format("at least {}", least(call.columns)));
  expect(call.ldb >= least(call.result_columns()), "ldb", call.ldb, fmt::format("at least {}", least(call.result_columns())));
}

request from_cblas(int order, int trans, int rows, int columns, int lda, int ldb) {
  request call{.transposes = trans == CornerturnTrans || trans == CornerturnConjTrans,
               .conjugates = trans == CornerturnConjTrans || trans == CornerturnConjNoTrans,
               .rows = number("rows", rows),
               .columns = number("cols", columns),
               .lda = lda,
               .ldb = ldb};
  set_order(call, "order", order == CornerturnRowMajor, order == CornerturnColMajor, order,
            "101 (row-major) or 102 (column-major)");
  expect(trans >= CornerturnNoTrans && trans <= CornerturnConjNoTrans, "trans", trans, "111 to 114");
  check_rows(call);
  return call;
}

template <std::integral Integer>
request from_letters(char ordering, char trans, Integer rows, Integer columns, Integer lda, Integer ldb) {
  auto const upper = [](char letter) { return letter >= 'a' && letter <= 'z' ? char(letter - 'a' + 'A') : letter; };
  auto const shown = [](char letter) {
    return letter >= ' ' && letter <= '~' ? fmt::format("'{}'", letter) : fmt::format("{}", int(letter));
  };
  char const order = upper(ordering), op = upper(trans);
  request call{.transposes = op == 'T' || op == 'C',
               .conjugates = op == 'C' || op == 'R',
               .rows = number("rows", rows),
               .columns = number("cols", columns),
               .lda = number("lda", lda),
               .ldb = number("ldb", ldb)};
  set_order(call, "ordering", order == 'R', order == 'C', shown(ordering), "'R' or 'C'");
  expect(op == 'N' || op == 'T' || op == 'C' || op == 'R', "trans", shown(trans), "'N', 'T', 'C' or 'R'");
  check_rows(call);
  return call;
}

/// The elements from the first to the last one of `count` parts, of `of_one` elements each, whose beginnings are `stride`
/// elements apart. Throws `error` for a number beyond 64 bits.
std::int64_t elements_of(char const* stride_name, std::int64_t count, std::int64_t of_one, std::int64_t stride,
                         char const* parts = "rows") {
  std::int64_t result;
  bool past = __builtin_mul_overflow(count - 1, stride, &result);
  past |= __builtin_add_overflow(result, of_one, &result);
  if (past)
    refuse(stride_name, stride, fmt::format("such that {} {} of {} elements are within 2^63 - 1 elements", count, parts, of_one));
  return result;
}

/// B = alpha * op(A), where B has rows of call.ldb elements.
template <class T>
void copy(request const& call, T alpha, T const* a, T* b) {
  std::int64_t const rows = call.result_rows(), columns = call.result_columns();
  if (alpha == T(0)) {
    for (std::int64_t i = 0; i < call.batch; ++i)
      for (std::int64_t row = 0; row < rows; ++row) std::fill_n(b + i * call.strideb + row * call.ldb, columns, T(0));
    return;
  }
  std::int64_t const read[] = {call.stridea, call.transposes ? 1 : call.lda, call.transposes ? call.lda : 1};
  std::int64_t const written[] = {call.strideb, call.ldb, 1};
  strided_copy(
      a, read, b, written, {call.batch, rows, columns},
      element_operation{
          .source = kTypeOf<T>, .destination = kTypeOf<T>, .alpha = std::complex<double>(alpha), .conjugate = call.conjugates});
}

template <class T>
std::unique_ptr<T[]> memory_for(std::int64_t elements) {
  return std::make_unique_for_overwrite<T[]>(std::size_t(elements));
}

/// A = alpha * op(A), where op does not transpose. Panels of rows go through memory, the last one first if the pitch grows.
template <class T>
void replace_rows(request const& call, T alpha, T* a) {
  auto const height = std::clamp<std::int64_t>(kPieceBytes / std::int64_t(sizeof(T)) / call.columns, 1, call.rows);
  auto const memory = memory_for<T>(height * call.columns);
  auto const panels = (call.rows + height - 1) / height;
  for (std::int64_t i = 0; i < panels; ++i) {
    auto const first = (call.ldb <= call.lda ? i : panels - 1 - i) * height;
    auto panel = call;
    panel.rows = std::min(height, call.rows - first), panel.ldb = call.columns;
    copy(panel, alpha, a + first * call.lda, memory.get());
    copy({.rows = panel.rows, .columns = call.columns, .lda = call.columns, .ldb = call.ldb}, T(1), memory.get(),
         a + first * call.ldb);
  }
}

/// A = alpha * op(A) for a square that is transposed and keeps its pitch. Each tile changes places with its counterpart across
/// the diagonal.
template <class T>
void replace_square(request const& call, T alpha, T* a) {
  auto const width = std::min(std::int64_t(std::sqrt(kPieceBytes / sizeof(T))), call.rows);
  auto const memory = memory_for<T>(width * width);
  request const across{.transposes = true, .conjugates = call.conjugates, .lda = call.lda, .ldb = call.lda};
  for (std::int64_t i = 0; i < call.rows; i += width)
    for (std::int64_t j = i; j < call.rows; j += width) {
      auto const height = std::min(width, call.rows - i), length = std::min(width, call.rows - j);
      T *const upper = a + i * call.lda + j, *const lower = a + j * call.lda + i;
      auto to_memory = across, to_upper = across;
      to_memory.rows = height, to_memory.columns = length, to_memory.ldb = height;
      copy(to_memory, alpha, upper, memory.get());
      to_upper.rows = length, to_upper.columns = height;
      if (i != j) copy(to_upper, alpha, lower, upper);
      copy({.rows = length, .columns = height, .lda = height, .ldb = call.lda}, T(1), memory.get(), lower);
    }
}

/// True if the engine has transposed the dense matrix in place.
template <class T>
bool transposed_in_place(request const& call, T* a) {
  try {
    permute_inplace(a, {call.rows, call.columns}, {1, 0}, sizeof(T));
    return true;
  } catch (error const&) {
    return false;  // a shape that is not supported in place, or too little workspace: nothing has moved
  }
}

/// A = alpha * op(A), where the result has rows of call.ldb elements.
template <class T>
void replace(request const& call, T alpha, T* a) {
  bool const changes = alpha != T(1) || (call.conjugates && !std::is_floating_point_v<T>);
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
  copy({.rows = call.result_rows(), .columns = call.result_columns(), .lda = to_memory.ldb, .ldb = call.ldb}, T(1), memory.get(),
       a);
}

template <class T>
void omatcopy(request const& call, T alpha, T const* a, T* b) {
  if (call.is_empty()) return;
  auto const of_a = elements_of("lda", call.rows, call.columns, call.lda),
             of_b = elements_of("ldb", call.result_rows(), call.result_columns(), call.ldb);
  expect_apart({"B", b, elements_of("strideb", call.batch, of_b, call.strideb, "matrices"), sizeof(T)},
               {"A", a, elements_of("stridea", call.batch, of_a, call.stridea, "matrices"), sizeof(T)});
  copy(call, alpha, a, b);
}

template <class T>
void imatcopy(request const& call, T alpha, T* a) {
  if (call.is_empty()) return;
  for (auto const elements : {elements_of("lda", call.rows, call.columns, call.lda),
                              elements_of("ldb", call.result_rows(), call.result_columns(), call.ldb)})
    expect_array({"A", a, elements, sizeof(T)});
  replace(call, alpha, a);
}

template <class T>
void omatcopy_batch(request call, T alpha, T const* a, std::size_t stridea, T* b, std::size_t strideb, std::size_t batch_size) {
  call.stridea = number("stridea", stridea), call.strideb = number("strideb", strideb);
  call.batch = number("batch_size", batch_size);
  if (call.batch > 1 && !call.is_empty()) {
    auto const least = elements_of("ldb", call.result_rows(), call.result_columns(), call.ldb);
    expect(call.strideb >= least, "strideb", call.strideb, fmt::format("at least {}, the elements of a result", least));
  }
  omatcopy(call, alpha, a, b);
}

/// The alpha of a function of CBLAS: a number, or a pointer to a complex number.
template <class T>
T value_of(T alpha) {
  return alpha;
}
template <class T>
T value_of(void const* alpha) {
  expect(alpha != nullptr, "alpha", "null", "the address of a complex number");
  return *static_cast<T const*>(alpha);
}

}  // namespace
}  // namespace cornerturn::blas

using namespace cornerturn::blas;
using cornerturn::call_from_c;
using c64 = std::complex<float>;
using c128 = std::complex<double>;

// The functions of CBLAS and of MKL for C, by the letter of BLAS. T is the type of elements, Alpha and Data are the types of
// alpha and of matrices in CBLAS, and MklData is the type of both in MKL.
#define CORNERTURN_BLAS_OF_C(letter, LETTER, T, Alpha, Data, MklData)                                                            \
  void cblas_##letter##omatcopy(int order, int trans, int rows, int cols, Alpha alpha, Data const* a, int lda, Data* b,          \
                                int ldb) {                                                                                       \
    call_from_c("cblas_" #letter "omatcopy", [&] {                                                                               \
      auto const call = from_cblas(order, trans, rows, cols, lda, ldb);                                                          \
      omatcopy(call, value_of<T>(alpha), reinterpret_cast<T const*>(a), reinterpret_cast<T*>(b));                                \
    });                                                                                                                          \
  }                                                                                                                              \
  void cblas_##letter##imatcopy(int order, int trans, int rows, int cols, Alpha alpha, Data* a, int lda, int ldb) {              \
    call_from_c("cblas_" #letter "imatcopy",                                                                                     \
                [&] { imatcopy(from_cblas(order, trans, rows, cols, lda, ldb), value_of<T>(alpha), reinterpret_cast<T*>(a)); }); \
  }                                                                                                                              \
  void MKL_##LETTER##omatcopy(char ordering, char trans, size_t rows, size_t cols, MklData alpha, MklData const* a, size_t lda,  \
                              MklData* b, size_t ldb) {                                                                          \
    call_from_c("mkl_" #letter "omatcopy", [&] {                                                                                 \
      auto const call = from_letters(ordering, trans, rows, cols, lda, ldb);                                                     \
      omatcopy(call, std::bit_cast<T>(alpha), reinterpret_cast<T const*>(a), reinterpret_cast<T*>(b));                           \
    });                                                                                                                          \
  }                                                                                                                              \
  void MKL_##LETTER##imatcopy(char ordering, char trans, size_t rows, size_t cols, MklData alpha, MklData* a, size_t lda,        \
                              size_t ldb) {                                                                                      \
    call_from_c("mkl_" #letter "imatcopy", [&] {                                                                                 \
      imatcopy(from_letters(ordering, trans, rows, cols, lda, ldb), std::bit_cast<T>(alpha), reinterpret_cast<T*>(a));           \
    });                                                                                                                          \
  }                                                                                                                              \
  void MKL_##LETTER##omatcopy_batch_strided(char ordering, char trans, size_t rows, size_t cols, MklData alpha,                  \
                                            MklData const* a, size_t lda, size_t stridea, MklData* b, size_t ldb,                \
                                            size_t strideb, size_t batch_size) {                                                 \
    call_from_c("mkl_" #letter "omatcopy_batch_strided", [&] {                                                                   \
      auto const call = from_letters(ordering, trans, rows, cols, lda, ldb);                                                     \
      omatcopy_batch(call, std::bit_cast<T>(alpha), reinterpret_cast<T const*>(a), stridea, reinterpret_cast<T*>(b), strideb,    \
                     batch_size);                                                                                                \
    });                                                                                                                          \
  }

// The functions of Fortran: OpenBLAS's without a prefix, MKL's with a prefix. Fortran passes the lengths of the letters after the
// other arguments; they are not read.
#define CORNERTURN_BLAS_OF_FORTRAN(name, T)                                                                                 \
  void name##omatcopy_(char const* order, char const* trans, int const* rows, int const* cols, T const* alpha, T const* a,  \
                       int const* lda, T* b, int const* ldb) {                                                              \
    call_from_c(#name "omatcopy", [&] { omatcopy(from_letters(*order, *trans, *rows, *cols, *lda, *ldb), *alpha, a, b); }); \
  }                                                                                                                         \
  void name##imatcopy_(char const* order, char const* trans, int const* rows, int const* cols, T const* alpha, T* a,        \
                       int const* lda, int const* ldb) {                                                                    \
    call_from_c(#name "imatcopy", [&] { imatcopy(from_letters(*order, *trans, *rows, *cols, *lda, *ldb), *alpha, a); });    \
  }

#pragma GCC visibility push(default)
extern "C" {

CORNERTURN_BLAS_OF_C(s, S, float, float, float, float)
CORNERTURN_BLAS_OF_C(d, D, double, double, double, double)
CORNERTURN_BLAS_OF_C(c, C, c64, float const*, float, cornerturn_complex8)
CORNERTURN_BLAS_OF_C(z, Z, c128, double const*, double, cornerturn_complex16)

CORNERTURN_BLAS_OF_FORTRAN(s, float)
CORNERTURN_BLAS_OF_FORTRAN(d, double)
CORNERTURN_BLAS_OF_FORTRAN(c, c64)
CORNERTURN_BLAS_OF_FORTRAN(z, c128)
CORNERTURN_BLAS_OF_FORTRAN(mkl_s, float)
CORNERTURN_BLAS_OF_FORTRAN(mkl_d, double)
CORNERTURN_BLAS_OF_FORTRAN(mkl_c, c64)
CORNERTURN_BLAS_OF_FORTRAN(mkl_z, c128)
}
#pragma GCC visibility pop
