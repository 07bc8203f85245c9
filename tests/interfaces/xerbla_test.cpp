// The calls of xerbla_, which this program defines, as OpenBLAS and MKL make them.
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <functional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "cornerturn_blas.h"

namespace {

struct called {
  std::string routine;
  int number;
  bool operator==(called const&) const = default;
};
std::vector<called> calls;
std::function<void()> then = [] {};

std::ostream& operator<<(std::ostream& out, called const& each) { return out << each.routine << " " << each.number; }

}  // namespace

extern "C" void xerbla_(char const* routine, int const* number, std::size_t length) {
  EXPECT_EQ(std::string(routine).size(), length);
  calls.push_back({{routine, length}, *number});
  then();
}

extern "C" {
void domatcopy_(char const*, char const*, int const*, int const*, double const*, double const*, int const*, double*, int const*);
void zimatcopy_(char const*, char const*, int const*, int const*, double const*, double*, int const*, int const*);
void dimatcopy_(char const*, char const*, int const*, int const*, double const*, double*, int const*, int const*);
void dgeadd_(int const*, int const*, double const*, double const*, int const*, double const*, double*, int const*);
void mkl_domatadd_(char const*, char const*, char const*, int const*, int const*, double const*, double const*, int const*,
                   double const*, double const*, int const*, double*, int const*);
}

namespace {

/// The call of xerbla_ by a body that makes one, after one line on standard error.
called reported(std::function<void()> const& body) {
  calls.clear();
  testing::internal::CaptureStderr();
  body();
  auto const said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(said, '\n'), 1) << said;
  EXPECT_EQ(calls.size(), 1u) << said;
  return calls.empty() ? called{} : calls[0];
}

double const one[] = {1, 0}, a[40] = {};  // `one` is that of complex numbers, too
double b[40], c[40];

TEST(xerbla, gets_the_numbers_of_openblas) {
  auto const copy = [](int order, int trans, int rows, int cols, int lda, int ldb) {
    return reported([=] { cblas_domatcopy(order, trans, rows, cols, 1, a, lda, b, ldb); });
  };
  EXPECT_EQ(copy(0, CblasTrans, 3, 4, 4, 3), (called{"DOMATCOPY", 1}));
  EXPECT_EQ(copy(CblasRowMajor, 0, 3, 4, 4, 3), (called{"DOMATCOPY", 2}));
  EXPECT_EQ(copy(CblasRowMajor, CblasTrans, -3, 4, 4, 3), (called{"DOMATCOPY", 3}));
  EXPECT_EQ(copy(CblasRowMajor, CblasTrans, 3, -4, 4, 3), (called{"DOMATCOPY", 4}));
  EXPECT_EQ(copy(CblasRowMajor, CblasTrans, 3, 4, 3, 3), (called{"DOMATCOPY", 7}));
  EXPECT_EQ(copy(CblasRowMajor, CblasTrans, 3, 4, 4, 2), (called{"DOMATCOPY", 9}));
  EXPECT_EQ(copy(0, 0, -1, -1, -1, -1), (called{"DOMATCOPY", 1})) << "the first of several";
  EXPECT_EQ(reported([] { cblas_domatcopy(CblasRowMajor, CblasTrans, 3, 4, 1, a, 4, nullptr, 3); }), (called{"DOMATCOPY", 8}));
  EXPECT_EQ(reported([] { cblas_zomatcopy(CblasRowMajor, CblasTrans, 3, 4, nullptr, a, 4, b, 3); }), (called{"ZOMATCOPY", 5}));
  EXPECT_EQ(reported([] { cblas_dimatcopy(CblasRowMajor, CblasTrans, 3, 4, 1, b, 4, 2); }), (called{"DIMATCOPY", 8}));
  EXPECT_EQ(reported([] { cblas_zimatcopy(CblasRowMajor, CblasTrans, 3, 4, one, b, 4, 2); }), (called{"ZIMATCOPY", 9}));
  int const three = 3, four = 4, two = 2;
  EXPECT_EQ(reported([&] { domatcopy_("X", "T", &three, &four, one, a, &four, b, &three); }), (called{"DOMATCOPY", 1}));
  EXPECT_EQ(reported([&] { domatcopy_("R", "T", &three, &four, one, a, &four, b, &two); }), (called{"DOMATCOPY", 9}));
  EXPECT_EQ(reported([&] { dimatcopy_("R", "T", &three, &four, one, b, &four, &two); }), (called{"DIMATCOPY", 8}));
  EXPECT_EQ(reported([&] { zimatcopy_("R", "T", &three, &four, one, b, &four, &two); }), (called{"ZIMATCOPY", 9}));
}

TEST(xerbla, gets_the_numbers_of_sums_in_openblas) {
  auto const add = [](int order, int rows, int cols, int lda, int ldc) {
    return reported([=] { cblas_dgeadd(order, rows, cols, 1, a, lda, 1, c, ldc); });
  };
  EXPECT_EQ(add(0, 3, 4, 4, 4), (called{"DGEADD ", 0}));
  EXPECT_EQ(add(CblasRowMajor, -3, 4, 4, 4), (called{"DGEADD ", 1}));
  EXPECT_EQ(add(CblasRowMajor, 3, -4, 4, 4), (called{"DGEADD ", 2}));
  EXPECT_EQ(add(CblasRowMajor, 3, 4, 3, 4), (called{"DGEADD ", 5}));
  EXPECT_EQ(add(CblasColMajor, 3, 4, 3, 2), (called{"DGEADD ", 8}));
  int const three = 3, four = 4, two = 2;
  EXPECT_EQ(reported([&] { dgeadd_(&three, &four, one, a, &two, one, c, &three); }), (called{"DGEADD ", 5}));
}

TEST(xerbla, gets_the_names_and_numbers_of_mkl) {
  EXPECT_EQ(reported([] { mkl_domatcopy('X', 'T', 3, 4, 1, a, 4, b, 3); }), (called{"mkl_domatcopy", 1}));
  EXPECT_EQ(reported([] { mkl_domatcopy('R', 'X', 3, 4, 1, a, 4, b, 3); }), (called{"mkl_domatcopy", 2}));
  EXPECT_EQ(reported([] { mkl_domatcopy('R', 'T', 3, 4, 1, a, 3, b, 3); }), (called{"mkl_domatcopy", 7}));
  EXPECT_EQ(reported([] { mkl_domatcopy('R', 'T', 3, 4, 1, a, 4, b, 2); }), (called{"mkl_domatcopy", 9}));
  EXPECT_EQ(reported([] { mkl_dimatcopy('R', 'T', 3, 4, 1, b, 4, 2); }), (called{"mkl_dimatcopy", 8}));
  EXPECT_EQ(reported([] { mkl_zimatcopy('R', 'T', 3, 4, {1, 0}, nullptr, 4, 2); }), (called{"mkl_zimatcopy", 8}));
  EXPECT_EQ(reported([] { mkl_domatcopy2('R', 'T', 3, 4, 1, a, 1, 1, b, 3, 1); }), (called{"mkl_domatcopy2", 7}));
  EXPECT_EQ(reported([] { mkl_domatcopy2('R', 'T', 3, 4, 1, a, 4, 0, b, 3, 1); }), (called{"mkl_domatcopy2", 8}));
  EXPECT_EQ(reported([] { mkl_domatcopy2('R', 'T', 3, 4, 1, a, 4, 1, b, 1, 1); }), (called{"mkl_domatcopy2", 10}));
  EXPECT_EQ(reported([] { mkl_domatcopy2('R', 'T', 3, 4, 1, a, 4, 1, b, 3, 0); }), (called{"mkl_domatcopy2", 11}));
  EXPECT_EQ(reported([] { mkl_domatcopy_batch_strided('R', 'T', 3, 4, 1, a, 4, 12, b, 2, 12, 2); }),
            (called{"mkl_domatcopy_batch_strided", 10}));
  EXPECT_EQ(reported([] { mkl_dimatcopy_batch_strided('R', 'T', 3, 4, 1, b, 4, 3, 11, 2); }),
            (called{"mkl_dimatcopy_batch_strided", 9}));
}

TEST(xerbla, gets_the_numbers_of_sums_in_mkl) {
  EXPECT_EQ(reported([] { mkl_domatadd('R', 'X', 'N', 3, 4, 1, a, 3, 1, b, 4, c, 4); }), (called{"mkl_domatadd", 2}));
  EXPECT_EQ(reported([] { mkl_domatadd('R', 'T', 'X', 3, 4, 1, a, 3, 1, b, 4, c, 4); }), (called{"mkl_domatadd", 3}));
  EXPECT_EQ(reported([] { mkl_domatadd('R', 'T', 'N', 3, 4, 1, a, 2, 1, b, 4, c, 4); }), (called{"mkl_domatadd", 8}));
  EXPECT_EQ(reported([] { mkl_domatadd('R', 'T', 'N', 3, 4, 1, a, 3, 1, b, 3, c, 4); }), (called{"mkl_domatadd", 11}));
  EXPECT_EQ(reported([] { mkl_domatadd('R', 'T', 'N', 3, 4, 1, a, 3, 1, b, 4, c, 3); }), (called{"mkl_domatadd", 13}));
  EXPECT_EQ(reported([] { mkl_domatadd_batch_strided('R', 'T', 'N', 3, 4, 1, a, 3, 12, 1, b, 4, 12, c, 3, 12, 2); }),
            (called{"mkl_domatadd_batch_strided", 15}));
  int const three = 3, four = 4, two = 2;
  EXPECT_EQ(reported([&] { mkl_domatadd_("R", "T", "N", &three, &four, one, a, &two, one, b, &four, c, &four); }),
            (called{"mkl_domatadd", 8}));
}

TEST(xerbla, gets_the_numbers_of_groups_in_mkl) {
  double const* from[] = {a, a + 20};
  double* to[] = {b, b + 20};
  double const alpha[] = {1, 1};
  std::size_t const rows[] = {3, 3}, cols[] = {4, 4}, lda[] = {4, 3}, wide[] = {4, 4}, ldb[] = {3, 2}, size[] = {1, 1};
  EXPECT_EQ(reported([&] { mkl_domatcopy_batch('X', "TT", rows, cols, alpha, from, wide, to, wide, 2, size); }),
            (called{"mkl_domatcopy_batch", 1}));
  EXPECT_EQ(reported([&] { mkl_domatcopy_batch('R', "TX", rows, cols, alpha, from, wide, to, wide, 2, size); }),
            (called{"mkl_domatcopy_batch", 2}));
  EXPECT_EQ(reported([&] { mkl_domatcopy_batch('R', "TT", rows, cols, alpha, from, lda, to, wide, 2, size); }),
            (called{"mkl_domatcopy_batch", 7}));
  EXPECT_EQ(reported([&] { mkl_domatcopy_batch('R', "TT", rows, cols, alpha, from, wide, to, ldb, 2, size); }),
            (called{"mkl_domatcopy_batch", 9}));
  EXPECT_EQ(reported([&] { mkl_dimatcopy_batch('R', "TT", rows, cols, alpha, to, wide, ldb, 2, size); }),
            (called{"mkl_dimatcopy_batch", 8}));
}

TEST(xerbla, is_not_called_without_an_error) {
  calls.clear();
  testing::internal::CaptureStderr();
  cblas_domatcopy(CblasRowMajor, CblasTrans, 3, 4, 1, a, 4, b, 3);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(calls, std::vector<called>());
}

TEST(xerbla, may_jump_and_throw) {
  auto const bad = [] { cblas_domatcopy(CblasRowMajor, CblasTrans, 3, 4, 1, a, 3, b, 3); };
  std::jmp_buf place;
  testing::internal::CaptureStderr();
  then = [&] { std::longjmp(place, 1); };
  if (setjmp(place) == 0) {
    bad();
    ADD_FAILURE() << "the call came back";
  }
  then = [] { throw std::runtime_error("a program's own"); };
  EXPECT_THROW(bad(), std::runtime_error);
  then = [] {};
  testing::internal::GetCapturedStderr();
  int before;
  ::pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
  EXPECT_EQ(before, PTHREAD_CANCEL_ENABLE);
  double const row[] = {1, 2, 3};
  cblas_domatcopy(CblasRowMajor, CblasTrans, 1, 3, 2, row, 3, b, 1);
  EXPECT_EQ(b[2], 6);
}

}  // namespace
