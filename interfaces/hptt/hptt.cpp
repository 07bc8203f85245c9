#include "hptt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
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
struct Transpose<T>::state {
  layouts sides;
  T const* source;
  T* destination;
  T alpha, beta;
  bool conjugates = false, measures = false;
  int threads;
  std::vector<int> ids;
  std::optional<permutation_plan> plan = {}, alone = {};  ///< for `threads` threads, and for the caller's

  permutation_plan planned(int limit, planning_effort effort) const {
    element_operation const operation{
        .source = kTypeOf<T>, .destination = kTypeOf<T>, .alpha = alpha, .beta = beta, .conjugate = conjugates};
    return cornerturn::plan(sides.extents, sides.source_strides, sides.destination_strides, operation,
                            {.processor = cornerturn::processor_kind::cpu, .effort = effort, .threads = limit});
  }

  /// The plan for these parameters. If a parameter has changed since the last plan, plans by an estimate, because calls that move
  /// elements must not measure.
  permutation_plan const& current(std::optional<permutation_plan>& kept, int limit) const {
    if (!kept) kept = planned(limit, planning_effort::estimate);
    return *kept;
  }

  /// Sets a parameter of the plans.
  template <class Value>
  void set(Value state::*parameter, Value value) {
    if (this->*parameter == value) return;
    this->*parameter = value;
    plan.reset(), alone.reset();
  }
};

template <class T>
Transpose<T>::Transpose(int const* sizeA, int const* perm, int const* outerSizeA, int const* outerSizeB, int dim, T const* A,
                        T alpha, T* B, T beta, SelectionMethod selectionMethod, int numThreads, int const* threadIds,
                        bool useRowMajor) {
  if (numThreads < 1) refuse("numThreads", numThreads, "1 or more");
  state_ = std::make_unique<state>(state{.sides = layouts(sizeA, perm, outerSizeA, outerSizeB, dim, useRowMajor),
                                         .source = A,
                                         .destination = B,
                                         .alpha = alpha,
                                         .beta = beta,
                                         .measures = selectionMethod != ESTIMATE,
                                         .threads = numThreads});
  if (threadIds) state_->ids.assign(threadIds, threadIds + numThreads);
  createPlan();
}

template <class T>
Transpose<T>::Transpose(Transpose const& other) : state_(std::make_unique<state>(*other.state_)) {}
template <class T>
Transpose<T>::~Transpose() = default;

template <class T>
bool Transpose<T>::getConjA() const noexcept {
  return state_->conjugates;
}
template <class T>
void Transpose<T>::setConjA(bool conjA) noexcept {
  state_->set(&state::conjugates, conjA);
}
template <class T>
int Transpose<T>::getNumThreads() const noexcept {
  return state_->threads;
}
template <class T>
void Transpose<T>::setNumThreads(int numThreads) noexcept {
  state_->set(&state::threads, std::max(numThreads, 1));
}
template <class T>
T Transpose<T>::getAlpha() const noexcept {
  return state_->alpha;
}
template <class T>
void Transpose<T>::setAlpha(T alpha) noexcept {
  state_->set(&state::alpha, alpha);
}
template <class T>
T Transpose<T>::getBeta() const noexcept {
  return state_->beta;
}
template <class T>
void Transpose<T>::setBeta(T beta) noexcept {
  state_->set(&state::beta, beta);
}
template <class T>
T const* Transpose<T>::getInputPtr() const noexcept {
  return state_->source;
}
template <class T>
void Transpose<T>::setInputPtr(T const* A) noexcept {
  state_->source = A;
}
template <class T>
T* Transpose<T>::getOutputPtr() const noexcept {
  return state_->destination;
}
template <class T>
void Transpose<T>::setOutputPtr(T* B) noexcept {
  state_->destination = B;
}

template <class T>
void Transpose<T>::resetThreadIds() noexcept {
  state_->ids.clear();
}
template <class T>
void Transpose<T>::addThreadId(int threadId) {
  state_->ids.push_back(threadId);
}
template <class T>
void Transpose<T>::printThreadIds() const noexcept {
  for (int const id : state_->ids) std::printf("%d, ", id);
  std::printf("\n");
}
template <class T>
int Transpose<T>::getMasterThreadId() const noexcept {
  return state_->ids.empty() ? 0 : std::ranges::min(state_->ids);
}
template <class T>
void Transpose<T>::setMaxAutotuningCandidates(int num) noexcept {
  state_->set(&state::measures, num > 0);
}

template <class T>
void Transpose<T>::createPlan() {
  if (!state_->plan)
    state_->plan = state_->planned(state_->threads, state_->measures ? planning_effort::measure : planning_effort::estimate);
}

template <class T>
void Transpose<T>::execute() {
  state_->sides.expect_arrays(state_->source, state_->destination, sizeof(T));
  state_->current(state_->plan, state_->threads).run(state_->source, state_->destination);
}

template <class T>
void Transpose<T>::execute_alone() {
  state_->sides.expect_arrays(state_->source, state_->destination, sizeof(T));
  state_->current(state_->alone, 1).run(state_->source, state_->destination);
}

template <class T>
void Transpose<T>::print() {
  std::printf("%s\n", state_->current(state_->plan, state_->threads).describe().c_str());
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
