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

}  // namespace

progress_bar::progress_bar() : terminal_(isatty(STDERR_FILENO)), due_(clock::now() + kPatience) {}

progress_bar::~progress_bar() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void progress_bar::show(double share) {
  auto const now = clock::now();
  if (!terminal_ || now < due_) return;
  due_ = now + kRefresh;
  drawn_ = true;
  int const filled = static_cast<int>(share * kWidth);
  fmt::print(stderr, "\r[{}{}] {:3.0f} %", std::string(filled, '#'), std::string(kWidth - filled, '.'), share * 100);
  std::fflush(stderr);
}

}  // namespace cornerturn::cli
