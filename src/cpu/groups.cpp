#include "cpu/groups.hpp"

#include <fstream>
#include <iterator>
#include <sstream>

namespace cornerturn::cpu {
namespace {

bool lists(std::string const& controllers, std::string_view wanted) {
  std::istringstream names(controllers);
  for (std::string name; std::getline(names, name, ',');)
    if (name == wanted) return true;
  return false;
}

}  // namespace

std::string listed_groups() {
  std::ifstream file("/proc/self/cgroup");
  return {std::istreambuf_iterator(file), {}};
}

std::vector<std::filesystem::path> groups(std::filesystem::path const& mounted, std::string const& listed,
                                          std::string_view controller) {
  std::vector<std::filesystem::path> result;
  auto const add = [&](std::filesystem::path group, std::filesystem::path const& below) {
    result.push_back(group);
    for (auto const& step : below.relative_path()) result.push_back(group /= step);
  };
  std::istringstream lines(listed);  // "0::/a/b" of version 2, "4:cpu,cpuacct:/a/b" of version 1
  std::string number, controllers, path;
  while (std::getline(lines, number, ':') && std::getline(lines, controllers, ':') && std::getline(lines, path)) {
    if (controllers.empty())
      add(mounted, path), add(mounted / "unified", path);  // version 2 is in "unified" where version 1 is mounted too
    else if (lists(controllers, controller))
      add(mounted / controller, path);
  }
  return result;
}

}  // namespace cornerturn::cpu
