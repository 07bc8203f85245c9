#include "copy_counters.hpp"

namespace cornerturn::python {

void copy_counters::reset() {
  for (auto& each : copies_) each = 0;
  bytes_ = 0;
  refused_ = 0;
  int written = kWritten;
  refusal_state_.compare_exchange_strong(written, kNone);
}

void copy_counters::note_refusal(std::string_view message) {
  int expected = kNone;
  if (!refusal_state_.compare_exchange_strong(expected, kWriting)) return;
  refusal_ = message;
  refusal_state_ = kWritten;
}

std::string copy_counters::refusal() const { return refusal_state_ == kWritten ? refusal_ : std::string(); }

copy_counters& counters_of(copy_place place) {
  static auto& all = *new std::array<copy_counters, 2>;  // never released, because copies may run until the process ends
  return all[std::size_t(place)];
}

}  // namespace cornerturn::python
