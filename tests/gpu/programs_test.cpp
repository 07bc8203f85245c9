#include <algorithm>
#include <string>
#include <vector>

#include "gpu/gpu_test.hpp"
#include "gpu/readable_factors.hpp"
#include "plan/choose.hpp"
#include "problem/validate.hpp"
#include "support/plain.hpp"
#include "support/program_cases.hpp"
#include "support/special_numbers.hpp"

namespace cornerturn {
namespace {

constexpr std::size_t kProgramGuard = 256;

/// Every compiled kernel, in few cases: what compute-sanitizer runs.
class gpu_programs : public test::on_gpu<testing::TestWithParam<std::string>> {};

TEST_P(gpu_programs, follow_the_definition) {
  test::device_scratch from, to, workspace;
  test::readable_factors const factors;
  auto const cases = test::program_cases(GetParam());
  ASSERT_FALSE(cases.empty());
  for (auto const& each : cases) {
    auto const begin = kProgramGuard + each.destination_shift;
    auto const source = test::numbered_source(each.moved, source_range(each.moved).high, each.source_shift);
    std::vector<std::byte> expected(std::size_t(destination_range(each.moved).high) + begin + kProgramGuard, std::byte{0xEE});
    auto result = expected;
    test::permute_plainly(each.moved, source.data() + each.source_shift, expected.data() + begin);
    test::unify_nans(each.moved, expected.data() + begin);

    if (each.is_in_place())
      std::copy(source.begin() + std::ptrdiff_t(each.source_shift), source.end(), result.begin() + std::ptrdiff_t(begin));

    auto* const read = from.at_least(source.size());
    auto* const written = to.at_least(result.size());
    check(cudaMemcpy(read, source.data(), source.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
    check(cudaMemcpy(written, result.data(), result.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
    gpu::run(each.way.steps,
             {read + each.source_shift, written + begin, workspace.at_least(std::size_t(each.way.workspace_bytes))}, nullptr);
    check(cudaMemcpy(result.data(), written, result.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    test::unify_nans(each.moved, result.data() + begin);
    ASSERT_TRUE(result == expected) << describe(each.way) << "\nfirst wrong byte "
                                    << std::ranges::mismatch(result, expected).in1 - result.begin() - std::ptrdiff_t(begin);
  }
}

INSTANTIATE_TEST_SUITE_P(every, gpu_programs, testing::ValuesIn(test::program_families()), [](auto const& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace cornerturn
