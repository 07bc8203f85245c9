// Times permutations in place on the current GPU, beside a copy of the same bytes (the faster of cudaMemcpyAsync and the kernel
// `copy`) and beside a permutation to a second array that is copied back. They alternate in every round. Prints JSON. A case
// needs memory for both arrays; a case that finds none is left out. bench/inplace.py runs it.

#include <algorithm>
#include <cstdio>
#include <random>

#include "cornerturn/cornerturn.hpp"
#include "cuda/check.hpp"
#include "cuda/handles.hpp"
#include "inplace_cases.hpp"
#include "measure/timer.hpp"

namespace {

using namespace cornerturn;

constexpr int kRounds = 11;

/// Fills device memory with random bytes that repeat after a prime number of bytes.
void fill(std::byte* data, std::int64_t bytes) {
  constexpr std::int64_t kPeriod = 67'108'859;
  static std::vector<std::byte> const block = [] {
    std::vector<std::byte> made(kPeriod);
    std::mt19937 generator(24);
    for (auto& each : made) each = std::byte(generator());
    return made;
  }();
  for (std::int64_t at = 0; at < bytes; at += kPeriod) {
    bool const is_first = at == 0;
    check(cudaMemcpy(data + at, is_first ? block.data() : data, std::size_t(std::min(bytes - at, kPeriod)), cudaMemcpyDefault),
          "cudaMemcpy");
  }
}

/// True if both device arrays hold the same bytes, in up to 64 parts of 4 MB, the first and the last included.
bool are_equal(std::byte const* a, std::byte const* b, std::int64_t bytes) {
  constexpr std::int64_t kPart = 4 << 20, kParts = 64;
  auto const part = std::min(kPart, bytes);
  std::vector<std::byte> of_a(static_cast<std::size_t>(part)), of_b(of_a);
  for (std::int64_t i = 0; i < kParts; ++i) {
    auto const at = (bytes - part) / (kParts - 1) * i + (i == kParts - 1 ? (bytes - part) % (kParts - 1) : 0);
    check(cudaMemcpy(of_a.data(), a + at, of_a.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    check(cudaMemcpy(of_b.data(), b + at, of_b.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    if (of_a != of_b) return false;
  }
  return true;
}

std::string timed(inplace_case const& each) {
  auto const bytes = each.bytes();
  auto const array = allocate_device(std::size_t(bytes)), second = allocate_device(std::size_t(bytes));
  auto *const data = static_cast<std::byte*>(array.get()), *const other = static_cast<std::byte*>(second.get());
  fill(data, bytes);
  auto const plan = plan_permute_inplace(each.shape, each.axes, each.element_size, {.processor = processor_kind::gpu});
  auto const outside = plan_permute(each.shape, each.axes, each.element_size, {.processor = processor_kind::gpu});
  auto const identity = plan_permute({bytes}, {0}, 1, {.processor = processor_kind::gpu});
  auto const copy = [=](std::byte* to, std::byte const* from, cudaStream_t stream) {
    check(cudaMemcpyAsync(to, from, std::size_t(bytes), cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
  };
  outside.run(data, other);
  plan.run(data);
  bool const is_right = are_equal(data, other, bytes);

  auto const times = time_interleaved(
      {[&](cudaStream_t stream) { copy(other, data, stream); }, [&](cudaStream_t stream) { plan.run(data, stream); },
       [&](cudaStream_t stream) {
         outside.run(data, other, stream);
         copy(data, other, stream);
       },
       [&](cudaStream_t stream) { identity.run(data, other, stream); }},
      kRounds);
  auto const& fastest =
      std::min(times.ms[0], times.ms[3], [](auto const& a, auto const& b) { return median_of(a) < median_of(b); });
  return json_of(each, plan.describe(), is_right, {fastest, times.ms[1], times.ms[2], {}});
}

}  // namespace

int main(int count, char** arguments) {
  case_options options{.sides = {8192, 16384, 32768, 65536}, .most_bytes = 0};
  if (auto const status = parse(count, arguments, options, false)) return *status;
  auto const built = cornerturn::info();
  if (!built.gpu_problem.empty()) return fmt::print(stderr, "{}\n", built.gpu_problem), 1;
  std::size_t available = 0, total = 0;
  check(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
  auto const most = std::int64_t(available / 2);
  options.most_bytes = options.most_bytes == 0 ? most : std::min(options.most_bytes, most);
  fmt::print("{{\n \"cornerturn\": \"{}\",\n \"gpu\": \"{}\",\n \"driver\": {},\n \"rounds\": {},\n", built.version,
             built.gpus.front().name, built.driver_version, kRounds);
  print_cases(options, [](inplace_case const& each) -> std::optional<std::string> {
    try {
      return timed(each);
    } catch (error const& e) {
      if (e.kind() != error_kind::memory) return json_of(each, e.what());
      fmt::print(stderr, "no memory for {} bytes twice\n", each.bytes());
      return std::nullopt;
    }
  });
}
