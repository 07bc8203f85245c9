// HPTT's calls against their definition, as a program written for HPTT makes them.
#include "hptt.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "support/guarded.hpp"

namespace {

namespace test = cornerturn::test;

template <class T>
T number(int real, int imaginary) {
  if constexpr (std::is_floating_point_v<T>)
    return T(real);
  else
    return T(typename T::value_type(real), typename T::value_type(imaginary));
}

/// A random call and its result by the definition.
template <class T>
struct call {
  std::vector<int> perm, size, outer_a, outer_b;
  bool row_major, conjugates = false;
  T alpha, beta;
  std::vector<T> a, b, expected;

  explicit call(std::mt19937& generator) {
    auto const dim = 1 + generator() % 5;
    row_major = generator() % 2;
    alpha = number<T>(1 + int(generator() % 3), int(generator() % 2)), beta = number<T>(int(generator() % 2) * 2, 0);
    if constexpr (!std::is_floating_point_v<T>) conjugates = generator() % 2;
    perm.resize(dim);
    std::iota(perm.begin(), perm.end(), 0);
    std::shuffle(perm.begin(), perm.end(), generator);
    for (std::size_t i = 0; i < dim; ++i) size.push_back(1 + int(generator() % 9));
    for (int const each : size) outer_a.push_back(each + int(generator() % 2));
    for (int const each : perm) outer_b.push_back(size[std::size_t(each)] + int(generator() % 2));
    auto const elements = [](std::vector<int> const& outer) {
      return std::accumulate(outer.begin(), outer.end(), std::size_t(1),
                             [](std::size_t so_far, int each) { return so_far * std::size_t(each); });
    };
    for (std::size_t i = 0; i < elements(outer_a); ++i)
      a.push_back(number<T>(int(generator() % 19) - 9, int(generator() % 19) - 9));
    for (std::size_t i = 0; i < elements(outer_b); ++i)
      b.push_back(number<T>(int(generator() % 19) - 9, int(generator() % 19) - 9));
    expected = b;
    std::vector<int> index(dim);
    do {
      std::vector<int> moved;
      for (int const each : perm) moved.push_back(index[std::size_t(each)]);
      auto const from = a[place(index, outer_a)];
      auto& to = expected[place(moved, outer_b)];
      T read = from;
      if constexpr (!std::is_floating_point_v<T>)
        if (conjugates) read = std::conj(from);
      to = beta == T(0) ? alpha * read : alpha * read + beta * to;
    } while (advance(index));
  }

  std::size_t place(std::vector<int> const& index, std::vector<int> const& outer) const {
    std::size_t result = 0;
    for (std::size_t k = index.size(); k-- > 0;) {
      auto const i = row_major ? index.size() - 1 - k : k;
      result = result * std::size_t(outer[i]) + std::size_t(index[i]);
    }
    return result;
  }
  bool advance(std::vector<int>& index) const {
    for (std::size_t i = 0; i < index.size(); ++i) {
      if (++index[i] < size[i]) return true;
      index[i] = 0;
    }
    return false;
  }
  int dim() const { return int(perm.size()); }
};

/// A copy of numbers between pages that must not be touched, at a drawn address within a cache line.
template <class T>
class placed {
 public:
  placed(std::vector<T> const& from, std::mt19937& draw) : memory_(std::as_bytes(std::span(from)), draw, alignof(T)) {}

  T* data() const { return reinterpret_cast<T*>(memory_.data()); }
  /// The numbers; none if a byte beside them was written.
  std::vector<T> numbers() const {
    if (!memory_.is_whole()) return {};
    return {data(), data() + memory_.bytes().size() / sizeof(T)};
  }

 private:
  test::guarded memory_;
};

template <class T>
class hptt_calls : public testing::Test {};
using types = testing::Types<float, double, hptt::FloatComplex, hptt::DoubleComplex>;
TYPED_TEST_SUITE(hptt_calls, types);

TYPED_TEST(hptt_calls, follow_the_definition) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 generator(seed);
    call<TypeParam> each(generator);
    auto const planned = [&](auto const& make) {
      placed<TypeParam> const a(each.a, generator), b(each.b, generator);
      auto const plan = make(a.data(), b.data());
      plan->setConjA(each.conjugates);
      plan->execute();
      EXPECT_EQ(b.numbers(), each.expected) << seed;
      EXPECT_EQ(a.numbers(), each.a) << seed;
    };
    planned([&](auto const* a, auto* b) {
      return hptt::create_plan(each.perm.data(), each.dim(), each.alpha, a, each.size.data(), each.outer_a.data(), each.beta, b,
                               each.outer_b.data(), hptt::ESTIMATE, 2, nullptr, each.row_major);
    });
    planned([&](auto const* a, auto* b) {
      return hptt::create_plan(each.perm, each.dim(), each.alpha, a, each.size, each.outer_a, each.beta, b, each.outer_b,
                               hptt::ESTIMATE, 2, {}, each.row_major);
    });
  }
}

TYPED_TEST(hptt_calls, take_the_outer_sizes_for_the_extents) {
  std::vector<TypeParam> a(6), b(6), c(6);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = number<TypeParam>(int(i), 0);
  int const perm[] = {1, 0}, size[] = {2, 3};
  hptt::create_plan(perm, 2, TypeParam(1), a.data(), size, nullptr, TypeParam(0), b.data(), nullptr, 0, 1)->execute();
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(b[j + 3 * i], a[i + 2 * j]) << "the first index is the fastest";
  hptt::create_plan({1, 0}, 2, TypeParam(1), a.data(), {2, 3}, {}, TypeParam(0), c.data(), {}, hptt::ESTIMATE, 1)->execute();
  EXPECT_EQ(b, c);
}

TEST(hptt_plan, takes_other_arrays_and_factors) {
  std::vector<float> a(12), b(12), other(12, 1), result(12, 5);
  std::iota(a.begin(), a.end(), 0.0f);
  auto const plan = hptt::create_plan({1, 0}, 2, 1.0f, a.data(), {3, 4}, {}, 0.0f, b.data(), {}, hptt::ESTIMATE, 1);
  plan->setInputPtr(other.data()), plan->setOutputPtr(result.data());
  plan->setAlpha(2), plan->setBeta(3), plan->setNumThreads(2);
  plan->execute();
  EXPECT_EQ(result, std::vector<float>(12, 17));
  EXPECT_EQ(b, std::vector<float>(12, 0));
  EXPECT_EQ(plan->getAlpha(), 2);
  EXPECT_EQ(plan->getBeta(), 3);
  EXPECT_EQ(plan->getNumThreads(), 2);
  EXPECT_EQ(plan->getInputPtr(), other.data());
  EXPECT_EQ(plan->getOutputPtr(), result.data());
  hptt::Transpose<float> copy(*plan);
  copy.setBeta(0);
  copy.execute();
  EXPECT_EQ(result, std::vector<float>(12, 2)) << "execute reads B no more";
  EXPECT_EQ(plan->getBeta(), 3);
}

TEST(hptt_plan, is_measured_where_it_is_created_and_not_where_it_is_executed) {
  auto const folder = std::filesystem::path(testing::TempDir()) / ("hptt_choices_" + std::to_string(getpid()));
  setenv("CORNERTURN_CACHE_DIR", folder.c_str(), 1);
  std::vector<float> a(30 * 40), b(a.size());
  auto const plan = hptt::create_plan({1, 0}, 2, 1.5f, a.data(), {30, 40}, {}, 0.0f, b.data(), {}, hptt::MEASURE, 1);
  auto const is_measured = [&] {
    testing::internal::CaptureStdout();
    plan->print();
    auto const text = testing::internal::GetCapturedStdout();
    auto const estimated = text.find("estimated to be the fastest") != std::string::npos;
    EXPECT_NE(estimated, text.find("measured before") != std::string::npos || text.find("that were timed") != std::string::npos)
        << text;
    return !estimated;
  };
  EXPECT_TRUE(is_measured());
  plan->setAlpha(1.25f), plan->execute();
  EXPECT_FALSE(is_measured());
  plan->setAlpha(1.75f), plan->createPlan();
  EXPECT_TRUE(is_measured());
  unsetenv("CORNERTURN_CACHE_DIR");
  std::filesystem::remove_all(folder);
}

TEST(hptt_plan, leaves_the_work_to_the_first_of_the_caller_s_threads) {
  std::vector<double> a(200 * 300), b(a.size());
  std::iota(a.begin(), a.end(), 0.0);
  int const perm[] = {1, 0}, size[] = {200, 300}, ids[] = {0, 1};
  auto const plan = hptt::create_plan(perm, 2, 1.0, a.data(), size, nullptr, 0.0, b.data(), nullptr, hptt::ESTIMATE, 2, ids);
  EXPECT_EQ(plan->getMasterThreadId(), 0);
#pragma omp parallel num_threads(2)
  plan->execute_expert<true, false, true>();
  for (std::size_t i = 0; i < 200; ++i)
    for (std::size_t j = 0; j < 300; ++j) ASSERT_EQ(b[j + 300 * i], a[i + 200 * j]);
}

TEST(hptt_plan, refuses_bad_arguments) {
  std::vector<float> a(12), b(12);
  auto const message = [&](std::vector<int> const& perm, int dim, std::vector<int> const& size, std::vector<int> const& outer_a,
                           std::vector<int> const& outer_b, int threads) -> std::string {
    try {
      hptt::create_plan(perm, dim, 1.0f, a.data(), size, outer_a, 0.0f, b.data(), outer_b, hptt::ESTIMATE, threads);
    } catch (std::exception const& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message({1, 1}, 2, {3, 4}, {}, {}, 1), "perm is (1, 1); it must be a permutation of 0 to 1");
  EXPECT_EQ(message({}, 0, {}, {}, {}, 1), "dim is 0; it must be 1 or more");
  EXPECT_EQ(message({1, 0}, 2, {3}, {}, {}, 1), "the size of sizeA is 1; it must be dim, 2");
  EXPECT_EQ(message({1, 0}, 2, {3, 0}, {}, {}, 1), "sizeA[1] is 0; it must be 1 or more");
  EXPECT_EQ(message({1, 0}, 2, {3, 4}, {3, 3}, {}, 1), "outerSizeA[1] is 3; it must be at least 4");
  EXPECT_EQ(message({1, 0}, 2, {3, 4}, {}, {3, 3}, 1), "outerSizeB[0] is 3; it must be at least 4");
  EXPECT_EQ(message({1, 0}, 2, {3, 4}, {}, {}, 0), "numThreads is 0; it must be 1 or more");
}

TYPED_TEST(hptt_calls, have_functions_of_c) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937 generator(seed);
    call<TypeParam> each(generator);
    placed<TypeParam> const a(each.a, generator), b(each.b, generator);
    auto const run = [&](auto function, auto const& alpha, auto const*... conjugates) {
      using C = std::remove_cvref_t<decltype(alpha)>;
      function(each.perm.data(), each.dim(), alpha, *conjugates..., reinterpret_cast<C const*>(a.data()), each.size.data(),
               each.outer_a.data(), reinterpret_cast<C const&>(each.beta), reinterpret_cast<C*>(b.data()), each.outer_b.data(), 1,
               each.row_major);
    };
    if constexpr (std::is_same_v<TypeParam, float>) run(sTensorTranspose, each.alpha);
    if constexpr (std::is_same_v<TypeParam, double>) run(dTensorTranspose, each.alpha);
    if constexpr (std::is_same_v<TypeParam, hptt::FloatComplex>)
      run(cTensorTranspose, reinterpret_cast<hptt_float_complex const&>(each.alpha), &each.conjugates);
    if constexpr (std::is_same_v<TypeParam, hptt::DoubleComplex>)
      run(zTensorTranspose, reinterpret_cast<hptt_double_complex const&>(each.alpha), &each.conjugates);
    EXPECT_EQ(b.numbers(), each.expected) << seed;
    EXPECT_EQ(a.numbers(), each.a) << seed;
  }
}

TEST(hptt_c, reports_bad_arguments_and_writes_nothing) {
  std::vector<float> a(12), b(12, 7);
  int const perm[] = {0, 2}, size[] = {3, 4};
  testing::internal::CaptureStderr();
  sTensorTranspose(perm, 2, 1, a.data(), size, nullptr, 0, b.data(), nullptr, 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "cornerturn: sTensorTranspose: perm is (0, 2); it must be a permutation of 0 to 1\n");
  EXPECT_EQ(b, std::vector<float>(12, 7));
}

TEST(hptt_c, ends_a_call_before_its_thread_is_cancelled) {
  auto const call = [](void* has_ended) -> void* {
    pthread_cancel(pthread_self());
    sTensorTranspose(nullptr, 0, 1, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 1);  // it writes a message
    *static_cast<bool*>(has_ended) = true;
    pthread_testcancel();
    return nullptr;
  };
  pthread_t thread;
  bool has_ended = false;
  testing::internal::CaptureStderr();
  ASSERT_EQ(pthread_create(&thread, nullptr, call, &has_ended), 0);
  void* ended = nullptr;
  ASSERT_EQ(pthread_join(thread, &ended), 0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "cornerturn: sTensorTranspose: dim is 0; it must be 1 or more\n");
  EXPECT_EQ(ended, PTHREAD_CANCELED);
  EXPECT_TRUE(has_ended);
}

TEST(hptt_c, calls_arrays_a_and_b) {
  std::vector<float> memory(36, 7);
  int const perm[] = {1, 0}, size[] = {3, 4};
  auto const said = [&](float const* a, float* b, float alpha) {
    testing::internal::CaptureStderr();
    sTensorTranspose(perm, 2, alpha, a, size, nullptr, 0, b, nullptr, 1);
    return testing::internal::GetCapturedStderr();
  };
  for (float const alpha : {0.0f, 1.0f, 2.0f}) {
    auto* const a = memory.data();
    EXPECT_EQ(said(nullptr, a, alpha), "cornerturn: sTensorTranspose: A is null; it must be an address\n");
    EXPECT_EQ(said(a, nullptr, alpha), "cornerturn: sTensorTranspose: B is null; it must be an address\n");
    EXPECT_TRUE(said(a, a + 11, alpha).starts_with("cornerturn: sTensorTranspose: B is [0x")) << said(a, a + 11, alpha);
    EXPECT_NE(said(a, a + 11, alpha).find("; it must be apart from A, [0x"), std::string::npos);
    EXPECT_EQ(memory, std::vector<float>(36, 7));
    try {
      hptt::create_plan(perm, 2, alpha, a, size, nullptr, 0.0f, a + 11, nullptr, hptt::ESTIMATE, 1)->execute();
      ADD_FAILURE() << "nothing was thrown";
    } catch (std::exception const& e) {
      EXPECT_TRUE(std::string_view(e.what()).starts_with("B is [0x")) << e.what();
    }
    EXPECT_EQ(said(a, a + 12, alpha), "");
    memory.assign(36, 7);
  }
}

}  // namespace
