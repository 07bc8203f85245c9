#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

namespace cornerturn {

/// Owns a file descriptor and closes it on destruction.
class descriptor {
 public:
  explicit descriptor(int number = -1) noexcept : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor();

  int get() const noexcept { return number_; }
  explicit operator bool() const noexcept { return number_ >= 0; }

 private:
  int number_;
};

/// Throws `error` (kind file) with the message of errno: "a.npy cannot be read: No such file or directory".
[[noreturn]] void fail_by_errno(std::filesystem::path const& path, std::string_view what);

}  // namespace cornerturn
