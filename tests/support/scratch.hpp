#pragma once

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace cornerturn::test {

/// A folder of its own, removed with all that is in it.
class scratch {
 public:
  explicit scratch(std::filesystem::path const& within = std::filesystem::temp_directory_path()) {
    std::string name = (within / "cornerturn-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for temporary files");
    folder_ = name;
  }
  scratch(scratch const&) = delete;
  ~scratch() { std::filesystem::remove_all(folder_); }

  std::filesystem::path operator/(std::string const& name) const { return folder_ / name; }

  void put(std::string const& name, std::string const& bytes) const {
    std::filesystem::remove(folder_ / name);  // ext4 puts an overwritten file on the disk at once
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }

  std::string get(std::string const& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// Names of all that is in the folder, sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (auto const& entry : std::filesystem::directory_iterator(folder_)) result.push_back(entry.path().filename().string());
    std::ranges::sort(result);
    return result;
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace cornerturn::test
