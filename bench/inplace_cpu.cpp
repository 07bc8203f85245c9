// Times permutations in place on the CPU, beside a copy of the same bytes by the library, beside a permutation to a second array
// that is copied back, and beside a BLAS's imatcopy. All alternate in every round. Prints JSON. bench/inplace.py runs it.

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <stdexcept>

#include "cornerturn/cornerturn.hpp"
#include "inplace_cases.hpp"

namespace {

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

/// The imatcopy of a BLAS with 32- or 64-bit integers. A matrix in C order is its transpose in Fortran order.
class imatcopy {
 public:
  explicit imatcopy(std::string const& path) {
    if (path.empty()) return;
    library_ = dlopen(path.c_str(), RTLD_NOW);
    if (!library_) throw std::runtime_error(dlerror());
    for (auto const* prefix : {"", "scipy_"})
      for (auto const* suffix : {"", "64_"}) {
        auto const found = [&](std::string const& name) { return dlsym(library_, (prefix + name + suffix).c_str()); };
        single_ = found("simatcopy_"), double_ = found("dimatcopy_");
        if (single_ && double_) {
          set_threads_ = reinterpret_cast<void (*)(int)>(found("openblas_set_num_threads"));
          return;
        }
      }
    throw std::runtime_error(path + " has no simatcopy");
  }

  /// OpenBLAS allocates a square of the longer side, and ends the process if it cannot.
  bool serves(inplace_case const& each) const {
    constexpr std::int64_t kMostBytes = std::int64_t(4) << 30;
    auto const longer = *std::ranges::max_element(each.shape);
    return single_ && longer <= kMostBytes / each.element_size / longer && each.axes == std::vector<std::int64_t>{1, 0} &&
           (each.element_size == 4 || each.element_size == 8);
  }
  void set_threads(int threads) const {
    if (set_threads_) set_threads_(threads);
  }
  void run(inplace_case const& each, void* data) const {
    each.element_size == 4 ? call<float>(single_, each, data) : call<double>(double_, each, data);
  }

 private:
  /// A routine with 64-bit integers reads 8 bytes of each, one with 32-bit integers the first 4.
  template <class T>
  static void call(void* routine, inplace_case const& each, void* data) {
    std::int64_t const rows = each.shape[0], columns = each.shape[1];
    T const one = 1;
    auto* const function = reinterpret_cast<void (*)(char const*, char const*, std::int64_t const*, std::int64_t const*, T const*,
                                                     void*, std::int64_t const*, std::int64_t const*)>(routine);
    function("C", "T", &columns, &rows, &one, data, &columns, &rows);
  }

  void* library_ = nullptr;
  void *single_ = nullptr, *double_ = nullptr;
  void (*set_threads_)(int) = nullptr;
};

std::string timed(inplace_case const& each, imatcopy const& blas) {
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
  inplace_times times;
  for (int round = 0; round < kRounds; ++round) {
    times.copy.push_back(milliseconds([&] { copy(data, second.data()); }));
    times.in_place.push_back(milliseconds([&] { plan.run(data); }));
    times.and_back.push_back(milliseconds([&] {
      permute(data, second.data(), each.shape, each.axes, each.element_size);
      copy(second.data(), data);
    }));
    if (blas.serves(each)) times.blas.push_back(milliseconds([&] { blas.run(each, data); }));
  }
  return json_of(each, plan.describe(), is_right, times);
}

}  // namespace

int main(int count, char** arguments) {
  case_options options{.sides = {8192, 16384, 32768}, .most_bytes = std::int64_t(4) << 30};
  if (auto const status = parse(count, arguments, options, true)) return *status;
  auto const built = cornerturn::info();
  imatcopy const blas(options.blas);
  blas.set_threads(built.cpu.threads);
  fmt::print("{{\n \"cornerturn\": \"{}\",\n \"compiler\": \"{}\",\n \"processor\": \"{}\",\n \"instructions\": \"{}\",\n",
             built.version, built.compiler, built.cpu.name, built.cpu.instructions);
  fmt::print(" \"threads\": {},\n \"rounds\": {},\n", built.cpu.threads, kRounds);
  print_cases(options, [&](inplace_case const& each) -> std::optional<std::string> {
    try {
      return timed(each, blas);
    } catch (cornerturn::error const& e) {
      return json_of(each, e.what());
    }
  });
}
