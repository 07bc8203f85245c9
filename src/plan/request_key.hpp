#pragma once

#include <array>
#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

#include "plan/prepared.hpp"

namespace cornerturn {

/// The arguments of a one-shot call as a list of integers, the key of the plan cache. The key is made of the arguments as given,
/// because the canonical form takes longer to compute than a kernel takes to launch. Only a long key allocates memory.
class request_key {
 public:
  /// The first word of a key, which keeps the keys of different functions apart.
  enum class call : std::int64_t { transpose, permute, strided_copy, permute_inplace, quantize, rearrange };

  explicit request_key(call kind) { add(std::int64_t(kind)); }

  void add(std::int64_t number) {
    if (size_ < few_.size()) {
      few_[size_++] = number;
    } else {
      if (many_.empty()) many_.assign(few_.begin(), few_.end());
      many_.push_back(number);
    }
  }

  /// Adds the length of a list of integers or bytes, and the list.
  void add(std::ranges::sized_range auto const& list) {
    add(std::int64_t(std::ranges::size(list)));
    for (auto const each : list) add(std::int64_t(each));
  }

  void add(where const& at) {
    for (int const each : {at.place, at.aligned.source, at.aligned.destination, at.threads}) add(each);
  }

  std::span<std::int64_t const> words() const {
    return many_.empty() ? std::span(few_.data(), size_) : std::span<std::int64_t const>(many_);
  }

 private:
  std::array<std::int64_t, 128> few_;  // initialised up to size_ only
  std::size_t size_ = 0;               // of `few_`
  std::vector<std::int64_t> many_;     // all words, if they do not fit into `few_`
};

}  // namespace cornerturn
