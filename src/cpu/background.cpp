#include "cpu/background.hpp"

#include <system_error>

namespace cornerturn::cpu {

std::jthread run_in_background(std::function<void(std::stop_token const&)> const& body) {
  try {
    return std::jthread(body);
  } catch (std::system_error const&) {
    body({});
    return {};
  }
}

}  // namespace cornerturn::cpu
