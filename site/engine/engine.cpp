// The exported functions of the WebAssembly module: they explain lines of CUDA C++. There are no exceptions in the module: what
// is thrown leaves through the imported function `fail`, which throws in JavaScript, and its caller makes the module anew.

#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <typeinfo>

#include "cornerturn/code.hpp"
#include "cornerturn/page.hpp"

namespace {

std::string code, answer;

char const* answered(std::string text) {
  answer = std::move(text);
  return answer.c_str();
}

}  // namespace

extern "C" {

[[clang::import_module("page"), clang::import_name("fail"), noreturn]] void fail(char const* message);

[[clang::export_name("reserve")]] char* reserve(std::size_t size) {
  code.assign(size, ' ');
  return code.data();
}

/// The JSON of `cornerturn explain --code CODE --suggest --json`.
[[clang::export_name("explain")]] char const* explain() {
  auto const given = cornerturn::explain_code(code);
  return answered(json_of(given, cornerturn::suggest_code(code)));
}

/// The picture of `cornerturn explain --code CODE --svg`, with the suggested layouts if `suggested`.
[[clang::export_name("picture")]] char const* picture(bool suggested) {
  auto const found = suggested ? cornerturn::suggest_code(code) : std::vector<cornerturn::code_suggestion>();
  return answered(picture_of(cornerturn::explain_suggested_code(code, found)));
}

// The functions of the C++ runtime that a throw calls.
void* __cxa_allocate_exception(std::size_t size) noexcept { return std::malloc(size); }
void __cxa_free_exception(void*) noexcept {}
[[noreturn]] void __cxa_throw(void* thrown, std::type_info*, void (*)(void*)) {
  fail(static_cast<std::exception*>(thrown)->what());
}
}
