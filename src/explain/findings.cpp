#include "explain/findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "cornerturn/text.hpp"
#include "explain/instructions.hpp"
#include "explain/requests.hpp"

namespace cornerturn {
namespace {

/// "0..31", "0, 8, 16, 24", "0..3, 8..11".
std::string text_of(std::vector<int> const& lanes) {
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < lanes.size();) {
    std::size_t end = i + 1;
    while (end < lanes.size() && lanes[end] == lanes[end - 1] + 1) ++end;
    runs.push_back(end - i > 2 ? fmt::format("{}..{}", lanes[i], lanes[end - 1]) : fmt::format("{}", lanes[i]));
    i = end - i > 2 ? end : i + 1;
  }
  return fmt::format("{}", fmt::join(runs, ", "));
}

/// The distance in bytes between neighbouring active lanes, if it is the same for all.
std::optional<std::int64_t> stride_of(std::vector<lane_access> const& lanes) {
  std::optional<std::int64_t> stride;
  lane_access const* before = nullptr;
  for (auto const& lane : lanes) {
    if (!lane.active) continue;
    if (before) {
      auto const step = lane.address - before->address;
      if (stride && *stride != step) return std::nullopt;
      stride = step;
    }
    before = &lane;
  }
  return stride;
}

/// The lanes that access one bank.
struct bank_access {
  int bank = 0;
  std::vector<lane_access> lanes;
};

/// The bank with the most conflicts.
bank_access worst_bank(memory_request const& each) {
  std::map<std::pair<int, int>, bank_access> banks;  // by group and bank
  for (auto const& lane : each.lanes)
    if (lane.active) {
      int const bank = int(lane.address / kBankBytes % kBanks);
      auto& into = banks[{lane.group, bank}];
      into.bank = bank;
      into.lanes.push_back(lane);
    }
  auto const words = [](auto const& entry) {
    std::vector<std::int64_t> all;
    for (auto const& lane : entry.second.lanes) all.push_back(lane.address / kBankBytes);
    std::ranges::sort(all);
    return std::ranges::distance(all.begin(), std::ranges::unique(all).begin());
  };
  return std::ranges::max_element(banks, {}, words)->second;
}

/// Collects the findings of all instructions.
struct collector {
  std::vector<memory_instruction> const& all;
  std::vector<remark> const& remarks;
  std::vector<finding> findings = {};
  remark none = {};

  remark const& remark_on(std::size_t at) const { return at < remarks.size() ? remarks[at] : none; }

  void say(std::string const& kind, std::size_t at, std::string const& what) {
    findings.push_back({kind, int(at), fmt::format("{}: {}", name_of(all[at]), what)});
  }

  /// Reports a misaligned vector of an instruction, if there is one. Returns true in this case.
  bool misaligned(std::size_t at) {
    auto const& each = all[at];
    if (each.box) return false;
    for (auto const& sample : each.samples)
      for (auto const& lane : sample.lanes)
        if (lane.active && lane.address % each.bytes) {
          say("misaligned-vector", at,
              fmt::format("lane {} accesses {} bytes at address {}, which is not a multiple of {}; the GPU faults: align the "
                          "rows, or use vectors of {}",
                          lane.lane, each.bytes, lane.address, each.bytes, count_text(lane.address & -lane.address, "byte")));
          return true;
        }
    return false;
  }

  void conflicts(std::size_t at) {
    auto const& each = all[at];
    if (each.wavefronts <= each.ideal_wavefronts) return;
    auto const& request = worst_sample(each);
    auto const ways = decimal(double(request.wavefronts) / request.ideal_wavefronts), mean = decimal(each.ways());
    if (each.async && each.bytes == kUnitBytes)
      return say(
          "bank-conflict", at,
          fmt::format("{} wavefronts instead of {}: cp.async takes one for each pair of a line of global memory and a line "
                      "of shared memory; copy what one line of 128 bytes has to one line",
                      request.wavefronts, request.ideal_wavefronts));
    auto const [bank, lanes] = worst_bank(request);
    std::vector<int> numbers;
    for (auto const& lane : lanes) numbers.push_back(lane.lane);
    std::vector<int> banks;
    for (int first = bank; first < bank + std::max(1, each.bytes / kBankBytes); ++first) banks.push_back(first);
    auto const met = fmt::format("{}-way bank conflict{}: lanes {} all in {} {}", ways,
                                 mean == ways ? "" : fmt::format(" at worst, {}-way on average", mean), text_of(numbers),
                                 banks.size() > 1 ? "banks" : "bank", text_of(banks));

    bool const others_swizzled =
        std::ranges::any_of(all, [&](auto const& other) { return other.space == memory_space::shared && other.swizzled; });
    auto const stride = stride_of(request.lanes);
    bool const strided = stride && *stride && *stride % (kBanks * kBankBytes) == 0;
    auto const& remark = remark_on(at);
    auto const why = !strided ? ""
                     : remark.swizzled
                         ? fmt::format(", because even with the swizzle they are {} bytes apart, a multiple of 128", *stride)
                         : fmt::format(", because their stride of {} bytes is a multiple of 128", *stride);
    auto const least = strided ? count_text(std::max({each.bytes, remark.widest, kBankBytes}), "byte") : "";
    auto const by = remark.padding.empty() ? least : remark.padding;
    if (remark.useless_swizzle)
      say("unused-swizzle", at, fmt::format("{}{}; {}", met, why, remark.advice));
    else if (!remark.advice.empty())
      say(strided && !remark.swizzled ? "stride-32" : "bank-conflict", at, fmt::format("{}{}; {}", met, why, remark.advice));
    else if (others_swizzled && !each.swizzled)
      say("unused-swizzle", at,
          fmt::format("{}; other accesses to this tile are swizzled, this one is not: use one layout", met));
    else
      say(strided ? "stride-32" : "bank-conflict", at,
          fmt::format("{}{}; pad the row{} or swizzle", met, why, by.empty() ? "" : " by " + by));
  }

  void sectors(std::size_t at) {
    auto const& each = all[at];
    if (each.box || each.sectors <= each.ideal_sectors) return;
    double const mean = double(each.sectors) / double(each.requests), ideal = double(each.ideal_sectors) / double(each.requests);
    auto const cost = fmt::format("{} sectors per request instead of {}", decimal(mean), decimal(ideal));
    auto const stride = stride_of(worst_sample(each).lanes);
    auto const is_wasteful = [&](std::int64_t sectors) { return double(sectors) >= 1.5 * double(each.ideal_sectors); };
    // cp.async bypasses the L1 cache, and stores go through it.
    bool const in_l1 = !each.store && !each.async && !is_wasteful(each.warp_sectors);
    if (is_wasteful(each.sectors) && stride != each.bytes)
      say("scattered", at,
          fmt::format("{}{}{}", cost, stride ? fmt::format(": the lanes' stride is {} bytes", *stride) : "",
                      in_l1 ? ", but the warp's other loads use the same sectors, which the L1 cache then serves; wider loads "
                              "need fewer requests"
                            : "; give neighbouring lanes neighbouring elements, via shared memory if necessary"));
    else
      say("straddling", at, fmt::format("{}: rows begin within a sector; align address and pitch to 32 bytes", cost));
  }

  void idle(std::size_t at) {
    auto const& each = all[at];
    if (each.box) return;
    double const lanes = double(each.active_lanes) / double(each.requests);
    if (lanes < 0.9 * kWarp)
      say("idle-lanes", at,
          fmt::format("{} of 32 lanes are active on average, because {}", decimal(lanes), remark_on(at).why_idle));
  }

  void narrow(std::size_t at) {
    auto const& each = all[at];
    if (each.box || each.bytes >= 4) return;
    auto const& why_no_vectors = remark_on(at).why_no_vectors;
    say("narrow", at,
        fmt::format("{} per lane, {} per request; vectors of 16 bytes need {} times fewer requests{}",
                    count_text(each.bytes, "byte"), each.bytes * kWarp, 16 / each.bytes,
                    why_no_vectors.empty() ? "" : ", but " + why_no_vectors));
  }
};

}  // namespace

std::vector<finding> findings_of(std::vector<memory_instruction> const& instructions, std::vector<remark> const& remarks) {
  collector result{instructions, remarks, {}};
  for (std::size_t at = 0; at < instructions.size(); ++at) {
    if (result.misaligned(at) || result.remark_on(at).impossible) continue;
    if (instructions[at].space == memory_space::shared) {
      result.conflicts(at);
    } else {
      result.sectors(at);
      result.idle(at);
      result.narrow(at);
    }
  }
  return result.findings;
}

std::vector<finding> findings_of_own_code(std::vector<memory_instruction> const& instructions, std::vector<remark> remarks) {
  remarks.resize(instructions.size());
  for (auto& each : remarks) each.why_idle = "the others skip the access, or the block has no whole warps";
  return findings_of(instructions, remarks);
}

}  // namespace cornerturn
