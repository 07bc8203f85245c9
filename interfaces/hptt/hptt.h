/* The calls of HPTT (High-Performance Tensor Transpose, https://github.com/springer13/hptt) on cornerturn's engine, written from
 * the description of these calls, so that a program written for HPTT compiles unchanged against this header and links
 * libcornerturn_hptt.
 *
 * A call computes B[i_perm[0], i_perm[1], ...] = alpha * A[i_0, i_1, ...] + beta * B[i_perm[0], ...]. Index 0 is the fastest, or
 * the last one with useRowMajor. B is read only if beta is not 0. sizeA[i] is the extent of index i of A. outerSizeA[i], at least
 * sizeA[i], is the number of elements of A along index i in memory; outerSizeB[i], at least sizeA[perm[i]], is the same for B.
 * Null (or an empty vector): the extents. Arrays are in host memory, need no alignment and must not overlap.
 *
 * Differences from HPTT: Bad arguments throw cornerturn::error in C++; in C a function writes one line to standard error and does
 * nothing else. With all methods except ESTIMATE, create_plan and createPlan time some candidates for up to half a second and
 * store the fastest one for later plans (cornerturn::planning_effort::measure); execute never does. threadIds only count threads.
 * If several threads call execute_expert with spawnThreads = false, the first does all the work, and the results are complete
 * after the barrier that such a region needs anyway.
 */
#pragma once

#ifdef __cplusplus

#include <complex>
#include <memory>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

#pragma GCC visibility push(default)

namespace cornerturn {
class permutation_plan;
}

namespace hptt {

/// How a plan is chosen: by an estimate, or by measurements.
enum SelectionMethod { ESTIMATE, MEASURE, PATIENT, CRAZY };

using FloatComplex = std::complex<float>;
using DoubleComplex = std::complex<double>;

/// The plan of one permutation, with its arrays and factors, which may be exchanged. One thread at a time uses a plan.
template <class T>
class Transpose {
 public:
  /// Throws cornerturn::error for bad arguments, like `create_plan`.
  Transpose(int const* sizeA, int const* perm, int const* outerSizeA, int const* outerSizeB, int dim, T const* A, T alpha, T* B,
            T beta, SelectionMethod selectionMethod, int numThreads, int const* threadIds = nullptr, bool useRowMajor = false);

  bool getConjA() const noexcept { return conjugates_; }
  void setConjA(bool conjA) noexcept { set(conjugates_, conjA); }  ///< elements of A are conjugated
  int getNumThreads() const noexcept { return threads_; }
  void setNumThreads(int numThreads) noexcept { set(threads_, numThreads < 1 ? 1 : numThreads); }
  T getAlpha() const noexcept { return alpha_; }
  void setAlpha(T alpha) noexcept { set(alpha_, alpha); }
  T getBeta() const noexcept { return beta_; }
  void setBeta(T beta) noexcept { set(beta_, beta); }
  T const* getInputPtr() const noexcept { return source_; }
  void setInputPtr(T const* A) noexcept { source_ = A; }
  T* getOutputPtr() const noexcept { return destination_; }
  void setOutputPtr(T* B) noexcept { destination_ = B; }

  void resetThreadIds() noexcept { ids_.clear(); }
  void addThreadId(int threadId) { ids_.push_back(threadId); }
  void printThreadIds() const noexcept;
  int getMasterThreadId() const noexcept;  ///< the smallest id; 0 without ids
  void setMaxAutotuningCandidates(int num) noexcept { set(measures_, num > 0); }

  /// Makes the plan again, after a change of the parameters. `execute` does so if necessary, without measurements.
  void createPlan();
  /// Moves the elements. Throws cornerturn::error for null pointers and arrays that overlap.
  void execute() { run(plan_, threads_); }
  /// Moves the elements, on the caller's thread alone if `spawnThreads` is false. The other two parameters are hints, which are
  /// ignored.
  template <bool useStreamingStores = true, bool spawnThreads = true, bool betaIsZero = false>
  void execute_expert() {
    if (spawnThreads) return execute();
#ifdef _OPENMP
    if (omp_in_parallel() && omp_get_thread_num() != getMasterThreadId()) return;
#endif
    run(alone_, 1);
  }
  /// Prints one line that describes the plan to standard output.
  void print();

 private:
  struct sides;
  using plan = std::shared_ptr<cornerturn::permutation_plan const>;

  /// Sets a parameter of the plans.
  template <class Value>
  void set(Value& parameter, Value value) noexcept {
    if (parameter != value) plan_.reset(), alone_.reset();
    parameter = value;
  }
  plan planned(int limit, bool measures) const;
  cornerturn::permutation_plan const& current(plan& kept, int limit) const;
  void run(plan& kept, int limit);

  std::shared_ptr<sides const> sides_;
  T const* source_;
  T* destination_;
  T alpha_, beta_;
  bool conjugates_ = false, measures_;
  int threads_;
  std::vector<int> ids_;
  plan plan_, alone_;  ///< for `threads_` threads, and for the caller's; null after a change of the parameters
};

extern template class Transpose<float>;
extern template class Transpose<double>;
extern template class Transpose<FloatComplex>;
extern template class Transpose<DoubleComplex>;

/// Plans a permutation; `dim` is the number of indices. Throws cornerturn::error for a dim below 1, a perm that is not a
/// permutation of 0 to dim - 1, extents below 1, outer sizes that are too small, and fewer than 1 thread.
template <class T>
using plan_ptr = std::shared_ptr<Transpose<T>>;

#define CORNERTURN_HPTT_CREATE_PLAN(T)                                                                                          \
  plan_ptr<T> create_plan(int const* perm, int dim, T alpha, T const* A, int const* sizeA, int const* outerSizeA, T beta, T* B, \
                          int const* outerSizeB, SelectionMethod selectionMethod, int numThreads,                               \
                          int const* threadIds = nullptr, bool useRowMajor = false);                                            \
  plan_ptr<T> create_plan(std::vector<int> const& perm, int dim, T alpha, T const* A, std::vector<int> const& sizeA,            \
                          std::vector<int> const& outerSizeA, T beta, T* B, std::vector<int> const& outerSizeB,                 \
                          SelectionMethod selectionMethod, int numThreads, std::vector<int> const& threadIds = {},              \
                          bool useRowMajor = false);                                                                            \
  plan_ptr<T> create_plan(int const* perm, int dim, T alpha, T const* A, int const* sizeA, int const* outerSizeA, T beta, T* B, \
                          int const* outerSizeB, int maxAutotuningCandidates, int numThreads, int const* threadIds = nullptr,   \
                          bool useRowMajor = false);
CORNERTURN_HPTT_CREATE_PLAN(float)
CORNERTURN_HPTT_CREATE_PLAN(double)
CORNERTURN_HPTT_CREATE_PLAN(FloatComplex)
CORNERTURN_HPTT_CREATE_PLAN(DoubleComplex)
#undef CORNERTURN_HPTT_CREATE_PLAN

}  // namespace hptt

#define CORNERTURN_HPTT_DEFAULT(value) = value
extern "C" {
#else
#include <stdbool.h>
#pragma GCC visibility push(default)
#define CORNERTURN_HPTT_DEFAULT(value)
#endif

__extension__ typedef float _Complex hptt_float_complex;
__extension__ typedef double _Complex hptt_double_complex;

void sTensorTranspose(int const* perm, int dim, float alpha, float const* A, int const* sizeA, int const* outerSizeA, float beta,
                      float* B, int const* outerSizeB, int numThreads, int useRowMajor CORNERTURN_HPTT_DEFAULT(0));
void dTensorTranspose(int const* perm, int dim, double alpha, double const* A, int const* sizeA, int const* outerSizeA,
                      double beta, double* B, int const* outerSizeB, int numThreads, int useRowMajor CORNERTURN_HPTT_DEFAULT(0));
void cTensorTranspose(int const* perm, int dim, hptt_float_complex alpha, bool conjA, hptt_float_complex const* A,
                      int const* sizeA, int const* outerSizeA, hptt_float_complex beta, hptt_float_complex* B,
                      int const* outerSizeB, int numThreads, int useRowMajor CORNERTURN_HPTT_DEFAULT(0));
void zTensorTranspose(int const* perm, int dim, hptt_double_complex alpha, bool conjA, hptt_double_complex const* A,
                      int const* sizeA, int const* outerSizeA, hptt_double_complex beta, hptt_double_complex* B,
                      int const* outerSizeB, int numThreads, int useRowMajor CORNERTURN_HPTT_DEFAULT(0));

/* Fills an array of floats with the numbers from -500 to 499 in turn. Several threads do, each of which places its pages of new
 * memory on its own NUMA node. HPTT's Python package calls it. */
void randomNumaAwareInit(float* data, long const* size, int dim);

#undef CORNERTURN_HPTT_DEFAULT
#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
