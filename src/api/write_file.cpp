#include <fstream>
#include <iterator>
#include <system_error>

#include "cornerturn/file.hpp"
#include "file/descriptor.hpp"
#include "file/replace.hpp"

namespace cornerturn {

void write_file(std::filesystem::path const& path, std::string_view text) {
  std::error_code ignored;  // the replacement reports it
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    std::ofstream file(path, std::ios::binary);
    if (!(file << text << std::flush)) fail_by_errno(path, "cannot be written");
    return;
  }
  replacement result(path);
  result.write(0, text.data(), std::ssize(text));
  result.commit();
}

}  // namespace cornerturn
