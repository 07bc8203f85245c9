#include <fmt/format.h>
#include <hwy/targets.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cornerturn/threads.hpp"
#include "fuzz/check.hpp"
#include "fuzz/decisions.hpp"
#include "fuzz/families.hpp"

namespace cornerturn::fuzz {
namespace {

/// What is drawn, and the families whose decisions it must draw.
struct kind {
  std::string (*check)(random_source&, memories&, std::string_view, decision_counts&);
  std::vector<std::string> families;
};
std::vector<std::string> and_tiles_in_place(std::vector<std::string> families) {
  families.push_back("cpu-tiles in place");
  return families;
}

std::map<std::string, kind> const kKinds{
#define KIND(name, check, problems, all, ...) {name, {check, {__VA_ARGS__}}},
#include "fuzz/kinds.def"
#undef KIND
};

struct options {
  std::uint64_t seed = 0, problems = 10'000;
  std::vector<std::string> kinds, targets;
  std::int64_t least = 0;
  unsigned processes = 1;
};

/// What repeats the problem that is moved, for a signal that ends the program.
std::array<char, 256> repeats;

void set_repeats(std::string const& kind, std::uint64_t seed, std::vector<std::string> const& targets) {
  *fmt::format_to_n(repeats.data(), repeats.size() - 1, "This repeats it: --kinds {} --problems 1 --seed {} --targets {}\n", kind,
                    seed, fmt::join(targets, ","))
       .out = '\0';
}

void tell_repeats(int signal) {
  [[maybe_unused]] auto const written = write(STDERR_FILENO, repeats.data(), std::char_traits<char>::length(repeats.data()));
  std::signal(signal, SIG_DFL), std::raise(signal);
}

/// Moves every `asked.processes`th problem from problem `first` on. Returns false after a wrong one.
bool move_problems(options const& asked, std::uint64_t first, std::vector<std::string> const& targets, decision_counts& counts) {
  std::map<std::string, std::int64_t> numbers;
  for (auto const each : hwy::SupportedAndGeneratedTargets()) numbers[hwy::TargetName(each)] = each;
  memories in;
  set_num_threads(4);  // also where there are fewer processors
  for (int const signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(signal, tell_repeats);
  for (auto const& kind : asked.kinds)
    for (auto at = first; at < asked.problems; at += asked.processes) {
      random_source random(asked.seed + at);
      auto const& target = random.one_of(targets);
      hwy::SetSupportedTargetsForTest(numbers[target]);
      set_repeats(kind, asked.seed + at, targets);
      if (auto const wrong = kKinds.at(kind).check(random, in, target, counts); !wrong.empty()) {
        fmt::print(stderr, "{}\n{}", wrong, repeats.data());
        return false;
      }
    }
  return true;
}

/// Moves all problems in several processes, and adds their counts. Returns false if one of them failed.
bool move_in_processes(options const& asked, std::vector<std::string> const& targets, decision_counts& counts) {
  std::vector<std::pair<pid_t, std::FILE*>> children;
  for (unsigned index = 0; index < asked.processes; ++index) {
    auto* const file = std::tmpfile();
    auto const child = file ? fork() : -1;
    if (child < 0) throw std::system_error(errno, std::generic_category(), "a process or its file cannot be made");
    if (child == 0) {
      bool const right = move_problems(asked, index, targets, counts);
      counts.write(file), std::fflush(file);
      _exit(right ? 0 : 1);
    }
    children.emplace_back(child, file);
  }
  bool right = true;
  for (auto const& [child, file] : children) {
    int status = 0;
    right &= waitpid(child, &status, 0) == child && status == 0;
    std::rewind(file), counts.add_from(file), std::fclose(file);
  }
  return right;
}

/// The names of the sets of instructions that this processor has, sorted.
std::vector<std::string> known_targets() {
  std::vector<std::string> result;
  for (auto const each : hwy::SupportedAndGeneratedTargets()) result.emplace_back(hwy::TargetName(each));
  std::ranges::sort(result);
  return result;
}

int run(options const& asked) {
  auto targets = asked.targets.empty() ? known_targets() : asked.targets;
  std::ranges::sort(targets);
  decision_counts counts(targets, call_families());
  if (!(asked.processes == 1 ? move_problems(asked, 0, targets, counts) : move_in_processes(asked, targets, counts))) return 1;
  fmt::print("{}", counts.table());
  std::vector<std::string> families, complaints;
  for (auto const& kind : asked.kinds) std::ranges::copy(kKinds.at(kind).families, std::back_inserter(families));
  if (asked.least > 0) complaints = counts.complaints(families, asked.least);
  for (auto const& each : complaints) fmt::print(stderr, "{}\n", each);
  fmt::print("{} problems of each kind ({}) from seed {} by {}, none wrong\n", asked.problems, fmt::join(asked.kinds, ", "),
             asked.seed, fmt::join(targets, ", "));
  return complaints.empty() ? 0 : 1;
}

}  // namespace
}  // namespace cornerturn::fuzz

int main(int argc, char** argv) {
  using namespace cornerturn::fuzz;
  CLI::App app(
      "Moves random problems by every plan of the CPU and by calls, with every set of instructions, and compares all bytes.");
  options asked;
  for (auto const& [name, each] : kKinds) asked.kinds.push_back(name);
  app.add_option("--kinds", asked.kinds, "what is drawn")
      ->delimiter(',')
      ->check(CLI::IsMember(asked.kinds))
      ->capture_default_str();
  app.add_option("--problems", asked.problems, "problems of each kind")->capture_default_str();
  app.add_option("--seed", asked.seed, "seed of the first problem; the next one has the next seed")->capture_default_str();
  app.add_option("--targets", asked.targets, "Highway's names of sets of instructions; all if none is given")
      ->delimiter(',')
      ->check(CLI::IsMember(known_targets()));
  app.add_option("--least", asked.least, "fail if a reachable pair of decisions was drawn less often")->capture_default_str();
  app.add_option("--processes", asked.processes, "processes that share the problems")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return run(asked);
}
