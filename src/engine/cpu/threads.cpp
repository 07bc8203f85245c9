#include "engine/cpu/threads.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include "engine/cpu/cpu.hpp"
#include "problem/canonical.hpp"
#include "problem/slice.hpp"

namespace cornerturn::cpu {
namespace {

constexpr std::int64_t kMostThreads = 8;
constexpr std::int64_t kShare = 1 << 20;  ///< bytes that are worth a thread

std::int64_t bytes_of(problem const& p) {
  std::int64_t bytes = p.element_size;
  for (mode const& m : p.modes) bytes *= m.extent;
  return bytes;
}

}  // namespace

void permute_on_threads(problem const& canonical, void const* source, void* destination) {
  auto const most = std::clamp<std::int64_t>(std::thread::hardware_concurrency(), 1, kMostThreads);
  auto const wanted = std::min(most, bytes_of(canonical) / kShare);
  auto const cut = std::ranges::find_if(canonical.modes, [&](mode const& m) { return m.extent >= wanted; });
  if (wanted <= 1 || cut == canonical.modes.end()) return permute(canonical, source, destination);

  auto const index = std::size_t(cut - canonical.modes.begin());
  auto const share = (cut->extent + wanted - 1) / wanted;
  std::vector<std::jthread> threads;
  for (std::int64_t begin = 0; begin < cut->extent; begin += share)
    threads.emplace_back([&, part = slice(canonical, index, begin, std::min(share, cut->extent - begin))] {
      permute(cornerturn::canonical(part), source, destination);
    });
}

}  // namespace cornerturn::cpu
