#include "file/state.hpp"

#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "cornerturn/error.hpp"

namespace cornerturn {
namespace {

/// The version of the description. It must change if the same plan is cut into other units, or if other members are written.
constexpr std::int64_t kVersion = 2;

class writer {
 public:
  void add(std::int64_t number) { bytes_.append(reinterpret_cast<char const*>(&number), sizeof number); }
  void add(bool flag) { add(std::int64_t(flag)); }
  void add(std::string const& text) { add(std::ssize(text)), bytes_ += text; }
  void add(std::vector<std::int64_t> const& numbers) {
    add(std::ssize(numbers));
    for (auto const each : numbers) add(each);
  }
  void add(exchange const& e) { (add(e.batch), add(e.rows), add(e.between), add(e.columns), add(e.run)); }
  void add(file_exchange const& e) { (add(e.groups), add(e.parts), add(e.swaps_first)); }
  void add(std::vector<file_exchange> const& exchanges) {
    add(std::ssize(exchanges));
    for (auto const& each : exchanges) add(each);
  }

  std::string const& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Reads in the order of writing.
class reader {
 public:
  reader(std::string_view bytes, std::string_view journal_name) : rest_(bytes), journal_name_(journal_name) {}

  void get(std::int64_t& number) {
    auto const from = rest_.substr(0, sizeof number);
    if (from.size() < sizeof number) throw error(error_kind::file, fmt::format("{} is damaged", journal_name_));
    std::memcpy(&number, from.data(), sizeof number);
    rest_.remove_prefix(sizeof number);
  }
  void get(bool& flag) { flag = number() != 0; }
  void get(std::string& text) {
    auto const size = std::size_t(number());
    text = rest_.substr(0, size);
    rest_.remove_prefix(text.size());
  }
  void get(std::vector<std::int64_t>& numbers) {
    for (auto left = number(); left > 0; --left) numbers.push_back(number());
  }
  void get(exchange& e) { (get(e.batch), get(e.rows), get(e.between), get(e.columns), get(e.run)); }
  void get(file_exchange& e) { (get(e.groups), get(e.parts), get(e.swaps_first)); }
  void get(std::vector<file_exchange>& exchanges) {
    for (auto left = number(); left > 0; --left) get(exchanges.emplace_back());
  }

  std::int64_t number() {
    std::int64_t result = 0;
    get(result);
    return result;
  }

 private:
  std::string_view rest_, journal_name_;
};

/// Calls use(member) for every member, in the order of the journal.
template <class State, class Use>
void for_each_member(State& s, Use const& use) {
  use(s.file_bytes), use(s.data_offset), use(s.array_bytes), use(s.shape), use(s.axes);
  use(s.plan.element_size), use(s.plan.unit_bytes), use(s.plan.workspace_bytes), use(s.plan.exchanges);
  use(s.is_raw), use(s.dtype), use(s.header_before), use(s.header_after);
}

}  // namespace

std::string to_bytes(file_state const& state) {
  writer to;
  to.add(kVersion);
  for_each_member(state, [&](auto const& member) { to.add(member); });
  return to.bytes();
}

file_state state_from(std::string const& bytes, std::string const& journal_name) {
  reader from(bytes, journal_name);
  if (from.number() != kVersion)
    throw error(error_kind::file, fmt::format("{} is of another version of cornerturn, which must finish it", journal_name));
  file_state result;
  for_each_member(result, [&](auto& member) { from.get(member); });
  return result;
}

}  // namespace cornerturn
