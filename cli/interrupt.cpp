#include "interrupt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>

namespace cornerturn::cli {
namespace {

struct watched {
  int signal;
  std::string_view name;
};
constexpr std::array kWatched{watched{SIGINT, "SIGINT"}, watched{SIGTERM, "SIGTERM"}, watched{SIGHUP, "SIGHUP"}};

volatile std::sig_atomic_t received = 0;

void record_signal(int signal) { received = signal; }

}  // namespace

void watch_for_signals() {
  for (auto const& [signal, name] : kWatched) {
    struct sigaction action {
    }, before{};
    action.sa_handler = record_signal;
    action.sa_flags = SA_RESTART | SA_RESETHAND;
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

void stop_if_interrupted(std::string_view state) {
  if (int const signal = received; signal != 0)
    throw interrupted{signal,
                      fmt::format("stopped by {}; {}", std::ranges::find(kWatched, signal, &watched::signal)->name, state)};
}

}  // namespace cornerturn::cli
