// SPDX-License-Identifier: Apache-2.0
#include "ctl/doctor/doctor.h"

#include "cli/terminal.h"
#include "ctl/commands/command.h"
#include "ctl/doctor/examination.h"
#include "ctl/doctor/findings.h"
#include "ctl/doctor/python_environment.h"
#include "ctl/doctor/report.h"
#include "ctl/process/installation.h"
#include "ctl/run/program_path.h"
#include "ctl/run/run.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/core.h>
#include <fstream>

namespace pegasus::ctl {
namespace {

using namespace doctor;

constexpr std::size_t most_modules_of_package = 64;
constexpr std::size_t most_modules = 256;
constexpr std::size_t most_of_a_line = 256; // Linux reads as much of a script's first line

std::string value_of(char const* name, char const* otherwise = "") {
  char const* const value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

std::string program_search_path() { return value_of("PATH", "/usr/local/bin:/usr/bin:/bin"); }

std::string first_line(std::string const& path) {
  std::string line(most_of_a_line, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return line.substr(0, line.find('\n'));
}

std::optional<PythonEnvironment> environment_of(std::string const& path) {
  return python_environment(path, value_of("PYTHONPATH"), value_of("HOME"));
}

// Adds the packages of the environment, and their modules, to what is examined.
void add_environment(PythonEnvironment const& environment, Examination& examination, Facts& facts) {
  facts.is_python = true;
  facts.directories = environment.directories;
  std::size_t examined = 0;
  for (std::string const& directory : environment.directories)
    for (InstalledPackage const& installed : installed_packages(directory, most_modules_of_package)) {
      facts.packages.push_back(installed.package);
      if (installed.package.name.starts_with("nvidia-")) continue; // their libraries are known by their names
      for (std::string const& module : installed.modules) {
        if (examined == most_modules) {
          ++facts.modules_left;
          continue;
        }
        ++examined;
        examination.add_module(module);
      }
    }
}

// A script's interpreter, if it can be found.
std::optional<std::string> interpreter_file(std::string const& interpreter) {
  auto const file = find_program(interpreter, program_search_path());
  return file ? std::optional(*file) : std::nullopt;
}

Facts examine(std::string const& path, Installation const& installation, DoctorOptions const& options) {
  LibrarySearch const search(value_of("LD_LIBRARY_PATH"));
  Translation const translation(Translation::Clock::now() + options.time);
  Examination examination(installation.lib, search, translation);
  Facts about;
  about.program = path;
  if (auto const complete = check_guest_libraries(installation); !complete)
    about.incomplete = complete.error().message;
  about.script_of = interpreter_of(first_line(path));
  std::string const started = about.script_of.empty() ? path : interpreter_file(about.script_of).value_or("");
  if (auto const environment = environment_of(started))
    add_environment(*environment, examination, about);
  else
    examination.add_program(path);
  Facts facts = std::move(examination).finish();
  facts.program = about.program;
  facts.incomplete = std::move(about.incomplete);
  facts.script_of = std::move(about.script_of);
  facts.is_python = about.is_python;
  facts.directories = std::move(about.directories);
  facts.packages = std::move(about.packages);
  facts.modules_left = about.modules_left;
  return facts;
}

int status_of(Weight weight) {
  return weight == Weight::note ? 0 : weight == Weight::part ? 1 : status_cannot_run;
}

} // namespace

int diagnose_program(DoctorOptions const& options) {
  auto const complain = [](int status, std::string const& message) {
    fmt::print(stderr, "pegasus: {}\n", message);
    return status;
  };
  auto const installation = Installation::find();
  if (!installation) return complain(status_cannot_run, installation.error().message);
  std::string path = options.command.front();
  bool const is_environment = path.find('/') != std::string::npos && environment_of(path).has_value();
  if (!is_environment) {
    auto const program = find_program(path, program_search_path());
    if (!program) return complain(program.error().exit_status, program.error().message);
    path = *program;
  }
  Facts const facts = examine(path, *installation, options);
  Diagnosis const diagnosis = diagnose(facts, installation->lib, options.verbose);
  auto const printed = options.json ? print_json(report_json(facts, diagnosis))
                                    : print(report_text(diagnosis, {.columns = cli::terminal_columns()}));
  if (!printed) return complain(status_cannot_run, printed.error().message);
  return status_of(diagnosis.weight);
}

} // namespace pegasus::ctl
