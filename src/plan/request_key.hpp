#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/refuse.hpp"
#include "plan/prepared.hpp"

namespace cornerturn {

/// The arguments of a one-shot call as a list of integers, the key of the plan cache. The key is made of the arguments as given,
/// because the canonical form takes longer to compute than a kernel takes to launch. It allocates no memory.
class request_key {
 public:
  /// The first word of a key, which keeps the keys of different functions apart.
  enum class call : std::int64_t { transpose, permute, strided_copy, permute_inplace, quantize, rearrange };

  explicit request_key(call kind) { add(std::int64_t(kind)); }

  void add(std::int64_t number) { words_[size_++] = number; }
  void add(std::span<std::int64_t const> list) {
    if (list.size() > kMaxRank) refuse("rank", list.size(), fmt::format("{} or less", kMaxRank));
    add(std::int64_t(list.size()));
    for (std::int64_t const each : list) add(each);
  }

  void add(where const& at) {
    for (int const each : {at.place, at.aligned.source, at.aligned.destination, at.threads}) add(each);
  }

  std::span<std::int64_t const> words() const { return {words_.data(), size_}; }

 private:
  static constexpr std::size_t kLists = 5, kNumbers = 16;
  std::array<std::int64_t, kLists*(kMaxRank + 1) + kNumbers> words_;  // initialised up to size_ only
  std::size_t size_ = 0;
};

}  // namespace cornerturn
