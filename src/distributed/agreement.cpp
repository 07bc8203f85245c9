#include "distributed/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <new>
#include <optional>
#include <string>

#include "cornerturn/error.hpp"

namespace cornerturn::distributed {
namespace {

constexpr auto kNone = std::numeric_limits<std::int64_t>::max();

/// Text travels as this number of values of seven bytes each, which are 0 or more.
constexpr std::size_t kWords = 64, kBytesPerWord = 7;

/// The 64-bit FNV-1a hash (http://www.isthe.com/chongo/tech/comp/fnv), without its sign.
class hash {
 public:
  void add(std::int64_t value) {
    for (int byte = 0; byte < 8; ++byte) state_ = (state_ ^ (std::uint64_t(value) >> 8 * byte & 0xff)) * 0x100000001b3;
  }
  void add(std::vector<std::int64_t> const& list) {
    add(std::int64_t(list.size()));
    for (auto const value : list) add(value);
  }
  std::int64_t value() const { return std::int64_t(state_ >> 1); }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

std::int64_t hash_of(auto const& value) {
  hash result;
  result.add(value);
  return result.value();
}

std::int64_t hash_of(sharding const& given) {
  hash result;
  result.add(given.grid);
  result.add(given.modes);
  for (auto const& each : given.blocks) result.add(each);
  return result.value();
}

std::int64_t hash_of(std::optional<element_operation> const& given) {
  hash result;
  if (!given) return result.value();
  auto const& [source, destination, alpha, beta, conjugate, saturate, source_swapped, destination_swapped, scale, bias,
               factor_strides] = *given;
  for (auto const type : {source, destination}) result.add(std::int64_t(type));
  for (auto const part : {alpha.real(), alpha.imag(), beta.real(), beta.imag()}) result.add(std::bit_cast<std::int64_t>(part));
  result.add(conjugate + 2 * saturate + 4 * (scale != nullptr) + 8 * (bias != nullptr) + 16 * source_swapped +
             32 * destination_swapped);
  result.add(factor_strides);
  return result.value();
}

std::vector<std::int64_t> words_of(error const& failed) {
  std::vector<std::int64_t> words(1 + kWords);
  words[0] = std::int64_t(failed.kind());
  std::string_view const text = failed.what();
  for (std::size_t i = 0; i < std::min(text.size(), kWords * kBytesPerWord); ++i)
    words[1 + i / kBytesPerWord] |= std::int64_t(static_cast<unsigned char>(text[i])) << 8 * (i % kBytesPerWord);
  return words;
}

error error_of(std::vector<std::int64_t> const& words, std::int64_t rank) {
  std::string text;
  for (std::size_t i = 0; i < kWords * kBytesPerWord; ++i) {
    char const c = char(words[1 + i / kBytesPerWord] >> 8 * (i % kBytesPerWord) & 0xff);
    if (c == '\0') break;
    text += c;
  }
  return error(error_kind(words[0]), fmt::format("on rank {}: {}", rank, text));
}

std::optional<error> error_in(std::function<void()> const& check) {
  try {
    check();
    return {};
  } catch (error const& failed) {
    return failed;
  } catch (std::bad_alloc const&) {
    return error(error_kind::memory, "there is too little memory");
  }
}

}  // namespace

std::vector<digest> digests_of(std::string_view call, description const& given) {
  hash name;
  for (auto const c : call) name.add(std::int64_t(c));
  return {{"the function that they call", name.value()},
          {"shape", hash_of(given.shape)},
          {"axes", hash_of(given.axes)},
          {"source", hash_of(given.source)},
          {"destination", hash_of(given.destination)},
          {"element", hash_of(given.element.bytes())},
          {"operation", hash_of(given.element.operation())}};
}

void agree(communicator& ranks, std::vector<digest> const& digests, std::function<void()> const& check) {
  auto const failed = error_in(check);
  // The largest of all values is the smallest of their negatives.
  std::vector<std::int64_t> values{failed ? ranks.rank() : kNone};
  for (auto const& each : digests) {
    values.push_back(each.value);
    values.push_back(-each.value);
  }
  ranks.all_min(values);
  if (auto const first = values[0]; first != kNone) {
    auto words = failed && first == ranks.rank() ? words_of(*failed) : std::vector(1 + kWords, kNone);
    ranks.all_min(words);
    throw error_of(words, first);
  }
  for (std::size_t i = 0; i < digests.size(); ++i)
    if (values[1 + 2 * i] != -values[2 + 2 * i])
      throw error({std::string(digests[i].name), "different", "the same on all ranks"},
                  "{} differs between ranks; it must be the same on all ranks");
}

}  // namespace cornerturn::distributed
