#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "cornerturn/code.hpp"
#include "cornerturn/error.hpp"
#include "cornerturn/info.hpp"
#include "cornerturn/ladder.hpp"
#include "cornerturn/text.hpp"
#include "help.hpp"
#include "interrupt.hpp"

namespace {

constexpr int kDeviceFailed = 1, kBadInput = 2, kSignalBase = 128;

/// Prints an error on one line, after what was printed before: control characters in file names or headers are replaced.
int fail(std::string message, int exit_code) {
  for (char& c : message) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  std::fflush(stdout);
  std::fprintf(stderr, "cornerturn: %s\n", message.c_str());  // fmt would throw if it cannot be written
  return exit_code;
}

/// The options whose names differ from those of the library's arguments.
constexpr std::pair<std::string_view, std::string_view> kOptions[] = {
    {"shape", "--plan"},
    {"kernel", "--kernels"},
    {"source_type", "--type"},
    {"operation.destination", "--to"},
    {"format.name", "--format"},
    {"format.shape", "--out-shape"},
    {"source_pitch", "--pitch"},
    {"destination_pitch", "the destination's --pitch"},
    {"source_align", "--align"},
    {"destination_align", "the destination's --align"},
    {"source_alignment", "--source-align"},
    {"destination_alignment", "--destination-align"},
    {"source.grid", "--ranks"},
    {"source.modes", "--shards"},
    {"destination.grid", "--result-ranks"},
    {"destination.modes", "--result-shards"},
};

/// What the command that was given calls an argument of the library: an option, a positional argument, or else the same.
std::string name_in(CLI::App const& app, std::string_view argument) {
  auto const commands = app.get_subcommands();
  auto const& command = commands.empty() ? app : *commands.front();
  auto const is_given_by = [&](std::string const& name) {
    auto const* const option = command.get_option_no_throw(name.substr(name.rfind(' ') + 1));
    return option && (name != "--rank" || option->count() > 0);  // else the rank is that of a shape
  };
  auto const* const known = std::ranges::find(kOptions, argument, &std::pair<std::string_view, std::string_view>::first);
  if (known != std::end(kOptions))
    if (std::string name(known->second); is_given_by(name)) return name;
  if (argument.find("--") != argument.npos) return std::string(argument);  // it is an option already
  std::string word(argument.substr(argument.find('.') + 1));
  std::string positional = word;
  for (char& c : positional) c = char(std::toupper(static_cast<unsigned char>(c)));
  if (is_given_by(positional)) return positional;
  std::ranges::replace(word, '_', '-');
  if (auto name = "--" + word; is_given_by(name)) return name;
  return std::string(argument);
}

/// A name that ends with an option, with the name by which the option was given: some have two, e.g. --to and --dtype.
std::string as_written(CLI::App const& app, std::string const& name, std::vector<std::string> const& words) {
  auto const commands = app.get_subcommands();
  auto const begin = name.rfind(' ') + 1;
  auto const known = name.substr(begin);
  auto const* const option = commands.empty() ? nullptr : commands.front()->get_option_no_throw(known);
  auto const is_written = [&](std::string const& each) {
    return std::ranges::any_of(words, [&](auto const& word) { return word == each || word.starts_with(each + "="); });
  };
  if (!option || is_written(known)) return name;
  for (auto const& other : option->get_lnames())
    if (is_written("--" + other)) return name.substr(0, begin) + "--" + other;
  return name;
}

/// What CLI11 says of an error of usage, in the words of the program's other errors.
std::string text_of(CLI::ParseError const& usage) {
  std::string const text = usage.what();
  auto const parts = [&](std::string_view middle) -> std::optional<std::pair<std::string, std::string>> {
    auto const at = text.find(middle);
    if (at == text.npos) return std::nullopt;
    return std::pair(text.substr(0, at), text.substr(at + middle.size()));
  };
  if (auto const both = parts(" excludes ")) return fmt::format("{} and {} exclude each other", both->first, both->second);
  if (auto const option = parts(": At Most 1 required but received "))
    return fmt::format("{} is given {} times; it must be given once", option->first, option->second);
  constexpr std::string_view kEnd = " missing";
  auto const option = parts(": 1 required ");
  if (!option || !option->second.ends_with(kEnd)) return text;
  auto const value = option->second.substr(0, option->second.size() - kEnd.size());
  return fmt::format("{} needs {} {}", option->first, value.find_first_of("AEIOaeio") == 0 ? "an" : "a", value);
}

/// A hint for an argument that is no option of a command: a file whose name begins with a dash, or axes without commas.
std::string hint_for(std::string const& unknown, CLI::App const& command) {
  auto const* const axes = command.get_option_no_throw("--axes");
  if (unknown.starts_with('-') && unknown.ends_with(".npy")) return fmt::format("; ./{} names a file", unknown);
  if (axes && axes->count() > 0 && unknown.find_first_not_of("0123456789") == unknown.npos)
    return "; axes have commas between them, e.g. 2,0,1";
  return {};
}

/// The message for an unknown command, option or argument, or for another error of usage.
std::string usage_text(CLI::App const& app, CLI::ParseError const& usage) {
  auto const commands = app.get_subcommands();  // the commands that were given
  auto const of = commands.empty() ? "" : " of " + commands.front()->get_name();
  auto const here = commands.empty() ? "" : " " + commands.front()->get_name();
  auto const hint = fmt::format("; see cornerturn{} --help", here);
  auto const remaining = app.remaining(true);
  bool const is_missing = commands.empty() && usage.get_name() == "RequiredError";
  if (remaining.empty()) return (is_missing ? "a command is required" : text_of(usage)) + hint;
  auto const& unknown = remaining.front();

  if (commands.empty() && unknown == "permute") return "unknown command 'permute'; did you mean transpose?";
  for (auto const& rung : cornerturn::rung_names())
    if (commands.empty() && unknown.size() > 2 && rung.starts_with(unknown))
      return fmt::format("unknown command '{}'; did you mean explain {}?", unknown, rung);
  std::string what = "argument";
  std::vector<std::string> names;
  if (unknown.starts_with('-')) {
    what = "option";
    for (auto const* option : (commands.empty() ? app : *commands.front()).get_options())
      for (auto const& name : option->get_lnames()) names.push_back("--" + name);
  } else if (commands.empty()) {
    what = "command";
    for (auto const* command : app.get_subcommands([](CLI::App const*) { return true; })) names.push_back(command->get_name());
    for (auto const* option : app.get_options())
      for (auto const& name : option->get_lnames()) names.push_back("--" + name);
  }
  auto const bare = unknown.substr(0, unknown.find('='));
  if (!commands.empty() && std::ranges::count(names, bare) > 0)
    return fmt::format("option '{0}' stands before {1}; give it after {1}", bare, commands.front()->get_name());
  auto meant = commands.empty() ? "" : hint_for(unknown, *commands.front());
  if (meant.empty()) meant = cornerturn::did_you_mean(bare, names);
  return fmt::format("unknown {} '{}'{}{}", what, unknown, of, meant.empty() ? hint : meant);
}

/// Opens /dev/null in place of each standard stream that is closed, so that no other file gets its descriptor and then what is
/// printed. With O_PATH a stream can be neither read nor written, as if it were closed.
void open_closed_streams() {
  for (int const stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) == -1) ::open("/dev/null", O_PATH);
}

int run(int argc, char** argv) {
  CLI::App app("Permute the axes of any array, on GPU or CPU, at the speed of a copy", "cornerturn");
  app.set_version_flag("--version", [] { return "cornerturn " + cornerturn::info().version; });
  app.require_subcommand(1);
  app.formatter(std::make_shared<cornerturn::cli::help_formatter>());
  for (auto* const add :
       {cornerturn::cli::add_transpose, cornerturn::cli::add_plan, cornerturn::cli::add_tune, cornerturn::cli::add_ladder,
        cornerturn::cli::add_explain, cornerturn::cli::add_layout, cornerturn::cli::add_info})
    add(app);
  for (auto* const each : app.get_subcommands({})) each->group("Commands");
  app.footer(
      "cornerturn COMMAND --help describes a command. Examples:\n"
      "  cornerturn transpose images.npy planes.npy --axes 0,3,1,2\n"
      "  cornerturn plan 256x224x224x3 --axes 0,3,1,2 --type u8\n"
      "  cornerturn explain smem-conflict-read");

  std::vector<std::string> const given(argv + 1, argv + argc);
  auto words = given;
  if (!words.empty() && words.front() == "help") {  // `help COMMAND` is `COMMAND --help`
    words.erase(words.begin());
    auto const is_first = [&](CLI::App const* command) { return command->get_name() == words.front(); };
    if (words.empty() || std::ranges::any_of(app.get_subcommands({}), is_first)) words.push_back("--help");
  }
  std::ranges::reverse(words);  // CLI11 takes the last one first
  try {
    app.parse(words);
    return 0;
  } catch (CLI::RuntimeError const& ended) {
    return ended.get_exit_code();
  } catch (CLI::Success const& asked_for_help) {
    return app.exit(asked_for_help);
  } catch (CLI::ParseError const& usage) {
    return fail(usage_text(app, usage), kBadInput);
  } catch (cornerturn::cli::interrupted const& stopped) {
    return fail(stopped.message, kSignalBase + stopped.signal);
  } catch (cornerturn::error const& e) {
    if (e.is_of_machine()) return fail(e.what(), kDeviceFailed);
    // a message about a file begins with the file's name, which may be that of an option
    auto const argument = e.argument(), list = argument.substr(0, argument.find('['));  // e.g. shape of shape[0]
    auto const name = as_written(app, name_in(app, list), given) + std::string(argument.substr(list.size()));
    fail(e.with_argument(name).what(), kBadInput);
    if (auto const* const at = dynamic_cast<cornerturn::code_error const*>(&e); at && e.argument() == "code")
      std::fprintf(stderr, "  %s\n  %*s\n", std::string(e.value()).c_str(), at->column(), "^");
    return kBadInput;
  } catch (std::exception const& e) {
    return std::ferror(stdout) ? 0 : fail(e.what(), kDeviceFailed);  // main reports failed output
  }
}

}  // namespace

int main(int argc, char** argv) {
  open_closed_streams();
  // A file beyond the shell's size limit then fails with EFBIG and a message, instead of a signal.
  std::signal(SIGXFSZ, SIG_IGN);
  int const code = run(argc, argv);
  if (code == 0 && (std::fflush(stdout) != 0 || std::ferror(stdout))) return fail("standard output cannot be written", kBadInput);
  return code;
}
