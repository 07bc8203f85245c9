#include "copy_counters.hpp"

namespace cornerturn::python {

void copy_counters::reset() {
  for (auto& each : copies_) each = 0;
  bytes_ = 0;
  refused_ = 0;
  refusal_.store(nullptr);
}

void copy_counters::note_refusal(std::string_view message) {
  std::shared_ptr<std::string const> none;
  refusal_.compare_exchange_strong(none, std::make_shared<std::string const>(message));
}

std::string copy_counters::refusal() const {
  auto const found = refusal_.load();
  return found ? *found : std::string();
}

copy_counters& counters_of(copy_place place) {
  static auto& all = *new std::array<copy_counters, 2>;  // never released, because copies may run until the process ends
  return all[std::size_t(place)];
}

}  // namespace cornerturn::python
