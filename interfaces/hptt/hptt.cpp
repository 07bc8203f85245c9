#include "hptt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "arrays.hpp"
#include "cornerturn/cornerturn.hpp"
#include "element_types.hpp"
#include "errors.hpp"

using cornerturn::call_from_c;
using cornerturn::element_operation;
using cornerturn::kTypeOf;
using cornerturn::permutation_plan;
using cornerturn::planning_effort;
using cornerturn::refuse;

namespace hptt {
namespace {

using numbers = std::vector<std::int64_t>;

void expect_given(char const* name, int const* given) {
  if (!given) refuse(name, "null", "an array of dim numbers");
}

/// The strides of an array with these outer sizes.
numbers strides_of(std::span<int const> outer, bool row_major) {
  numbers result(outer.size());
  std::int64_t stride = 1;
  for (std::size_t k = 0; k < outer.size(); ++k) {
    auto const i = row_major ? outer.size() - 1 - k : k;
    result[i] = stride;
    if (__builtin_mul_overflow(stride, outer[i], &stride))
      refuse("the array", fmt::format("of {} elements", fmt::join(outer, " x ")), "below 2^63 elements");
  }
  return result;
}

/// The outer sizes; without them, the extents. Throws for sizes below the extents.
std::vector<int> outer_of(char const* name, int const* outer, std::vector<int> const& extents) {
  if (!outer) return extents;
  std::vector<int> const result(outer, outer + extents.size());
  for (std::size_t i = 0; i < extents.size(); ++i)
    if (result[i] < extents[i]) refuse(fmt::format("{}[{}]", name, i), result[i], fmt::format("at least {}", extents[i]));
  return result;
}

/// The layouts of both sides, by the indices of B.
struct layouts {
  numbers extents, source_strides, destination_strides;

  layouts(int const* sizeA, int const* perm, int const* outerSizeA, int const* outerSizeB, int dim, bool row_major) {
    if (dim < 1) refuse("dim", dim, "1 or more");
    expect_given("perm", perm), expect_given("sizeA", sizeA);
    auto const rank = std::size_t(dim);
    std::vector<int> sorted(perm, perm + rank);
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < rank; ++i)
      if (sorted[i] != int(i))
        refuse("perm", fmt::format("({})", fmt::join(perm, perm + rank, ", ")), fmt::format("a permutation of 0 to {}", dim - 1));
    std::vector<int> const of_source(sizeA, sizeA + rank);
    std::vector<int> of_destination;
    for (std::size_t i = 0; i < rank; ++i) {
      if (sizeA[i] < 1) refuse(fmt::format("sizeA[{}]", i), sizeA[i], "1 or more");
      of_destination.push_back(sizeA[perm[i]]);
    }
    auto const read = strides_of(outer_of("outerSizeA", outerSizeA, of_source), row_major);
    destination_strides = strides_of(outer_of("outerSizeB", outerSizeB, of_destination), row_major);
    for (std::size_t i = 0; i < rank; ++i) {
      extents.push_back(of_destination[i]);
      source_strides.push_back(read[std::size_t(perm[i])]);
    }
  }

  /// Throws `error` for arrays that are null, too large or overlap.
  void expect_arrays(void const* A, void const* B, std::size_t element_size) const {
    auto const elements = [&](numbers const& strides) {
      std::int64_t result = 1;
      for (std::size_t i = 0; i < extents.size(); ++i) result += (extents[i] - 1) * strides[i];
      return result;
    };
    auto const size = std::int64_t(element_size);
    cornerturn::expect_apart({"B", B, elements(destination_strides), size}, {"A", A, elements(source_strides), size});
  }
};

}  // namespace

template <class T>
struct Transpose<T>::sides : layouts {
  using layouts::layouts;
};

template <class T>
Transpose<T>::Transpose(int const* sizeA, int const* perm, int const* outerSizeA, int const* outerSizeB, int dim, T const* A,
                        T alpha, T* B, T beta, SelectionMethod selectionMethod, int numThreads, int const* threadIds,
                        bool useRowMajor)
    : source_(A), destination_(B), alpha_(alpha), beta_(beta), measures_(selectionMethod != ESTIMATE), threads_(numThreads) {
  if (numThreads < 1) refuse("numThreads", numThreads, "1 or more");
  sides_ = std::make_shared<sides>(sizeA, perm, outerSizeA, outerSizeB, dim, useRowMajor);
  if (threadIds) ids_.assign(threadIds, threadIds + numThreads);
  createPlan();
}

template <class T>
void Transpose<T>::printThreadIds() const noexcept {
  for (int const id : ids_) std::printf("%d, ", id);
  std::printf("\n");
}

template <class T>
int Transpose<T>::getMasterThreadId() const noexcept {
  return ids_.empty() ? 0 : std::ranges::min(ids_);
}

template <class T>
void Transpose<T>::createPlan() {
  if (!plan_) plan_ = planned(threads_, measures_);
}

template <class T>
typename Transpose<T>::plan Transpose<T>::planned(int limit, bool measures) const {
  element_operation const operation{
      .source = kTypeOf<T>, .destination = kTypeOf<T>, .alpha = alpha_, .beta = beta_, .conjugate = conjugates_};
  return std::make_shared<permutation_plan>(
      cornerturn::plan(sides_->extents, sides_->source_strides, sides_->destination_strides, operation,
                       {.processor = cornerturn::processor_kind::cpu,
                        .effort = measures ? planning_effort::measure : planning_effort::estimate,
                        .threads = limit}));
}

/// The plan for these parameters. If a parameter has changed since the last plan, plans by an estimate, because calls that move
/// elements must not measure.
template <class T>
permutation_plan const& Transpose<T>::current(plan& kept, int limit) const {
  if (!kept) kept = planned(limit, false);
  return *kept;
}

template <class T>
void Transpose<T>::run(plan& kept, int limit) {
  sides_->expect_arrays(source_, destination_, sizeof(T));
  current(kept, limit).run(source_, destination_);
}

template <class T>
void Transpose<T>::print() {
  std::printf("%s\n", current(plan_, threads_).describe().c_str());
}

template class Transpose<float>;
template class Transpose<double>;
template class Transpose<FloatComplex>;
template class Transpose<DoubleComplex>;

namespace {

template <class T>
plan_ptr<T> planned(std::vector<int> const& perm, int dim, T alpha, T const* A, std::vector<int> const& sizeA,
                    std::vector<int> const& outerSizeA, T beta, T* B, std::vector<int> const& outerSizeB, SelectionMethod method,
                    int numThreads, std::vector<int> const& threadIds, bool useRowMajor) {
  auto const array = [&](char const* name, std::vector<int> const& given, bool may_be_empty) {
    if (may_be_empty && given.empty()) return static_cast<int const*>(nullptr);
    if (std::ssize(given) != dim) refuse(fmt::format("the size of {}", name), given.size(), fmt::format("dim, {}", dim));
    return given.data();
  };
  auto const plan = std::make_shared<Transpose<T>>(array("sizeA", sizeA, false), array("perm", perm, false),
                                                   array("outerSizeA", outerSizeA, true), array("outerSizeB", outerSizeB, true),
                                                   dim, A, alpha, B, beta, method, numThreads, nullptr, useRowMajor);
  for (int const id : threadIds) plan->addThreadId(id);
  return plan;
}

}  // namespace

#define CORNERTURN_HPTT_CREATE_PLAN(T)                                                                                          \
  plan_ptr<T> create_plan(int const* perm, int dim, T alpha, T const* A, int const* sizeA, int const* outerSizeA, T beta, T* B, \
                          int const* outerSizeB, SelectionMethod selectionMethod, int numThreads, int const* threadIds,         \
                          bool useRowMajor) {                                                                                   \
    return std::make_shared<Transpose<T>>(sizeA, perm, outerSizeA, outerSizeB, dim, A, alpha, B, beta, selectionMethod,         \
                                          numThreads, threadIds, useRowMajor);                                                  \
  }                                                                                                                             \
  plan_ptr<T> create_plan(std::vector<int> const& perm, int dim, T alpha, T const* A, std::vector<int> const& sizeA,            \
                          std::vector<int> const& outerSizeA, T beta, T* B, std::vector<int> const& outerSizeB,                 \
                          SelectionMethod selectionMethod, int numThreads, std::vector<int> const& threadIds,                   \
                          bool useRowMajor) {                                                                                   \
    return planned<T>(perm, dim, alpha, A, sizeA, outerSizeA, beta, B, outerSizeB, selectionMethod, numThreads, threadIds,      \
                      useRowMajor);                                                                                             \
  }                                                                                                                             \
  plan_ptr<T> create_plan(int const* perm, int dim, T alpha, T const* A, int const* sizeA, int const* outerSizeA, T beta, T* B, \
                          int const* outerSizeB, int maxAutotuningCandidates, int numThreads, int const* threadIds,             \
                          bool useRowMajor) {                                                                                   \
    return create_plan(perm, dim, alpha, A, sizeA, outerSizeA, beta, B, outerSizeB,                                             \
                       maxAutotuningCandidates > 0 ? MEASURE : ESTIMATE, numThreads, threadIds, useRowMajor);                   \
  }
CORNERTURN_HPTT_CREATE_PLAN(float)
CORNERTURN_HPTT_CREATE_PLAN(double)
CORNERTURN_HPTT_CREATE_PLAN(FloatComplex)
CORNERTURN_HPTT_CREATE_PLAN(DoubleComplex)

}  // namespace hptt

namespace {

/// A number of C, which has the layout of std::complex.
template <class T, class Number>
T value_of(Number const& number) {
  static_assert(sizeof(T) == sizeof(Number));
  return reinterpret_cast<T const&>(number);
}

template <class T, class Number>
void permute(char const* name, int const* perm, int dim, Number alpha, bool conjA, Number const* A, int const* sizeA,
             int const* outerSizeA, Number beta, Number* B, int const* outerSizeB, int numThreads, int useRowMajor) {
  call_from_c(name, [&] {
    if (numThreads < 1) refuse("numThreads", numThreads, "1 or more");
    hptt::layouts const sides(sizeA, perm, outerSizeA, outerSizeB, dim, useRowMajor != 0);
    sides.expect_arrays(A, B, sizeof(T));
    element_operation const operation{.source = kTypeOf<T>,
                                      .destination = kTypeOf<T>,
                                      .alpha = value_of<T>(alpha),
                                      .beta = value_of<T>(beta),
                                      .conjugate = conjA};
    cornerturn::strided_copy(A, sides.source_strides, B, sides.destination_strides, sides.extents, operation,
                             {.processor = cornerturn::processor_kind::cpu, .threads = numThreads});
  });
}

}  // namespace

void sTensorTranspose(int const* perm, int dim, float alpha, float const* A, int const* sizeA, int const* outerSizeA, float beta,
                      float* B, int const* outerSizeB, int numThreads, int useRowMajor) {
  permute<float>("sTensorTranspose", perm, dim, alpha, false, A, sizeA, outerSizeA, beta, B, outerSizeB, numThreads, useRowMajor);
}

void dTensorTranspose(int const* perm, int dim, double alpha, double const* A, int const* sizeA, int const* outerSizeA,
                      double beta, double* B, int const* outerSizeB, int numThreads, int useRowMajor) {
  permute<double>("dTensorTranspose", perm, dim, alpha, false, A, sizeA, outerSizeA, beta, B, outerSizeB, numThreads,
                  useRowMajor);
}

void cTensorTranspose(int const* perm, int dim, hptt_float_complex alpha, bool conjA, hptt_float_complex const* A,
                      int const* sizeA, int const* outerSizeA, hptt_float_complex beta, hptt_float_complex* B,
                      int const* outerSizeB, int numThreads, int useRowMajor) {
  permute<hptt::FloatComplex>("cTensorTranspose", perm, dim, alpha, conjA, A, sizeA, outerSizeA, beta, B, outerSizeB, numThreads,
                              useRowMajor);
}

void zTensorTranspose(int const* perm, int dim, hptt_double_complex alpha, bool conjA, hptt_double_complex const* A,
                      int const* sizeA, int const* outerSizeA, hptt_double_complex beta, hptt_double_complex* B,
                      int const* outerSizeB, int numThreads, int useRowMajor) {
  permute<hptt::DoubleComplex>("zTensorTranspose", perm, dim, alpha, conjA, A, sizeA, outerSizeA, beta, B, outerSizeB, numThreads,
                               useRowMajor);
}

void randomNumaAwareInit(float* data, long const* size, int dim) {
  call_from_c("randomNumaAwareInit", [&] {
    if (dim < 1) refuse("dim", dim, "1 or more");
    if (!size) refuse("size", "null", "an array of dim numbers");
    std::int64_t elements = 1;
    for (int i = 0; i < dim; ++i) {
      if (size[i] < 0) refuse(fmt::format("size[{}]", i), size[i], "0 or more");
      if (__builtin_mul_overflow(elements, size[i], &elements)) refuse("the array", "of 2^63 elements or more", "smaller");
    }
    if (elements == 0) return;
    cornerturn::expect_array({"data", data, elements, sizeof(float)});
    std::array<float, 1000> numbers;
    std::iota(numbers.begin(), numbers.end(), -500.0f);
    auto const length = std::int64_t(numbers.size()), rows = elements / length;
    cornerturn::strided_copy(numbers.data(), {0, 1}, data, {length, 1}, {rows, length}, sizeof(float),
                             {.processor = cornerturn::processor_kind::cpu});
    std::copy_n(numbers.begin(), elements % length, data + rows * length);
  });
}
