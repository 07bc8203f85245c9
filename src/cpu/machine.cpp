#include "cpu/machine.hpp"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <ranges>

#include "base/fork_safe_static.hpp"
#include "cpu/tiles/fields.hpp"
#include "cpu/tiles/tiles.hpp"

namespace cornerturn::cpu {

std::string const& model() {
  static constinit fork_safe_static<std::string const> known;
  return known.get([] {
    std::ifstream file("/proc/cpuinfo");
    return model_in(file);
  });
}

std::string model_in(std::istream& cpuinfo) {
  std::map<std::string, std::string, std::less<>> first;  // the lines of the first processor
  for (std::string line; std::getline(cpuinfo, line) && !line.empty();) {
    auto const colon = line.find(": ");
    if (colon != line.npos) first.emplace(line.substr(0, line.find_last_not_of("\t ", colon - 1) + 1), line.substr(colon + 2));
  }
  if (auto const name = first.find("model name"); name != first.end()) return name->second;
  auto const maker = first.find("CPU implementer"), part = first.find("CPU part");
  if (maker == first.end() || part == first.end()) return "unknown";
  return fmt::format("Arm, implementer {}, part {}", maker->second, part->second);
}

std::string known_instructions() { return known_name(instructions()); }

std::string known_name(std::string_view target) {
  if (target.starts_with("AVX3")) return "AVX-512";
  if (target.starts_with("NEON")) return "NEON";
  if (target == "EMU128" || target == "SCALAR") return "scalar";
  return std::string(target);
}

cpu_limits usual_limits(int threads) {
  return {.threads = {.most = threads}, .byte_permutes = has_byte_permutes(), .line_vectors = instructions().starts_with("AVX3")};
}

bool resembles_zen4() {
#if defined(__x86_64__)
  return __builtin_cpu_is("amd") && instructions().starts_with("AVX3");
#else
  return false;
#endif
}

cpu_tile_hint usual_tile_hint(int threads) {
  auto const limits = usual_limits(threads);
#if defined(__x86_64__)
  if (!limits.line_vectors) return avx2_tiles(limits);
  return resembles_zen4() ? zen4_tiles(limits) : xeon_tiles(limits);
#else
  return {.limits = limits};
#endif
}

std::vector<std::int64_t> cache_sizes(std::filesystem::path const& caches) {
  std::map<int, std::int64_t> sizes;
  for (int index = 0;; ++index) {
    auto const folder = caches / fmt::format("index{}", index);
    int level = 0;
    std::string type;
    std::int64_t kibibytes = 0;
    std::ifstream(folder / "level") >> level;
    std::ifstream(folder / "type") >> type;
    if (level < 1 || type.empty()) break;
    std::ifstream(folder / "size") >> kibibytes;  // "32K"
    if (type != "Instruction" && kibibytes > 0) sizes[level] = kibibytes << 10;
  }
  auto const known = std::views::values(sizes);
  return {known.begin(), known.end()};
}

}  // namespace cornerturn::cpu
