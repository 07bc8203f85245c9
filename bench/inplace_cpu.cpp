// Times permutations in place on the CPU, beside a copy of the same bytes by the library and beside a permutation to a second
// array that is copied back. The three alternate in every round. Prints JSON. Arguments: sides of squares, or `rectangles` and a
// limit of their bytes.

#include <sys/mman.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>

#include "cornerturn/cornerturn.hpp"
#include "inplace_cases.hpp"

namespace {

constexpr std::int64_t kMostBytes = std::int64_t(4) << 30;
constexpr int kRounds = 9;

/// Memory in huge pages, as NumPy allocates it, 16 bytes after a page as NumPy's arrays are.
class array_memory {
 public:
  explicit array_memory(std::int64_t bytes) : bytes_(std::size_t(bytes) + 4096) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    madvise(memory_, bytes_, MADV_HUGEPAGE);
  }
  array_memory(array_memory const&) = delete;
  ~array_memory() { munmap(memory_, bytes_); }
  unsigned char* data() const { return static_cast<unsigned char*>(memory_) + 16; }

 private:
  std::size_t bytes_;
  void* memory_;
};

double milliseconds(std::function<void()> const& work) {
  using clock = std::chrono::steady_clock;
  auto const start = clock::now();
  work();
  return std::chrono::duration<double, std::milli>(clock::now() - start).count();
}

std::string timed(inplace_case const& each) {
  using namespace cornerturn;
  auto const bytes = each.bytes();
  array_memory const array(bytes), second(bytes);
  auto* const data = array.data();
  for (std::int64_t i = 0; i < bytes; ++i) data[i] = static_cast<unsigned char>(i + i / 251 * 7);
  auto const plan = plan_permute_inplace(each.shape, each.axes, each.element_size, {.processor = processor_kind::cpu});
  permute(data, second.data(), each.shape, each.axes, each.element_size);
  plan.run(data);
  bool const is_right = std::memcmp(data, second.data(), std::size_t(bytes)) == 0;

  auto const copy = [&](void const* from, void* to) { strided_copy(from, {1}, to, {1}, {bytes}, 1); };
  std::vector<double> copied, in_place, and_back;
  for (int round = 0; round < kRounds; ++round) {
    copied.push_back(milliseconds([&] { copy(data, second.data()); }));
    in_place.push_back(milliseconds([&] { plan.run(data); }));
    and_back.push_back(milliseconds([&] {
      permute(data, second.data(), each.shape, each.axes, each.element_size);
      copy(second.data(), data);
    }));
  }
  return json_of(each, plan.describe(), is_right, copied, in_place, and_back);
}

}  // namespace

int main(int count, char** arguments) {
  auto const built = cornerturn::info();
  fmt::print("{{\n \"cornerturn\": \"{}\",\n \"compiler\": \"{}\",\n \"processor\": \"{}\",\n \"instructions\": \"{}\",\n",
             built.version, built.compiler, built.cpu.name, built.cpu.instructions);
  fmt::print(" \"threads\": {},\n \"rounds\": {},\n \"cases\": [\n", built.cpu.threads, kRounds);
  auto const cases = cases_given(count, arguments, {8192, 16384, 32768}, kMostBytes);
  for (auto const& each : cases) {
    fmt::print("{}{}\n", timed(each), &each == &cases.back() ? "" : ",");
    std::fflush(stdout);
  }
  fmt::print(" ]\n}}\n");
}
