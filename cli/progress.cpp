#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace cornerturn::cli {
namespace {

constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kRefresh = std::chrono::milliseconds(100);
constexpr int kWidth = 40;

/// "0:07", "1:02:03".
std::string duration_text(double seconds) {
  auto const whole = static_cast<std::int64_t>(seconds + 0.5);
  auto const minutes = whole / 60 % 60, hours = whole / 3600;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60) : fmt::format("{}:{:02}", minutes, whole % 60);
}

}  // namespace

progress_bar::progress_bar() : terminal_(isatty(STDERR_FILENO)), start_(clock::now()), due_(start_ + kPatience) {}

progress_bar::~progress_bar() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void progress_bar::show(double share, std::int64_t bytes) {
  auto const now = clock::now();
  if (!terminal_ || now < due_) return;
  due_ = now + kRefresh;
  drawn_ = true;
  int const filled = static_cast<int>(share * kWidth);
  double const elapsed = std::chrono::duration<double>(now - start_).count();
  fmt::print(stderr, "\r[{}{}] {:3.0f} %, {:.2f} GB/s, {} left\033[K", std::string(filled, '#'),
             std::string(kWidth - filled, '.'), share * 100, 2e-9 * share * static_cast<double>(bytes) / elapsed,
             duration_text(elapsed * (1 - share) / share));
  std::fflush(stderr);
}

}  // namespace cornerturn::cli
