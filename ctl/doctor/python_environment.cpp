// SPDX-License-Identifier: Apache-2.0
#include "ctl/doctor/python_environment.h"

#include "ctl/doctor/known_libraries.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace pegasus::ctl::doctor {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_lines = 1'000'000; // of a RECORD: PyTorch's has 20,000

bool directory_exists(fs::path const& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

std::vector<fs::path> entries_of(fs::path const& directory) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
    entries.push_back(at->path());
  std::ranges::sort(entries);
  return entries;
}

void add(std::vector<std::string>& directories, fs::path const& path) {
  std::error_code error;
  fs::path const real = fs::canonical(path, error);
  if (error || !directory_exists(real)) return;
  if (std::ranges::find(directories, real.string()) == directories.end())
    directories.push_back(real.string());
}

// `release`: "python3.12"; empty: all that are there.
void add_packages_below(std::vector<std::string>& directories, fs::path const& prefix,
                        std::string const& release) {
  for (char const* const library : {"lib", "lib64", "local/lib"})
    for (fs::path const& entry : entries_of(prefix / library)) {
      std::string const name = entry.filename().string();
      if (!name.starts_with("python3") || (!release.empty() && name != release && name != "python3"))
        continue;
      for (char const* const kind : {"site-packages", "dist-packages"})
        add(directories, entry / kind);
    }
}

// The value of a key in pyvenv.cfg; empty: there is none.
std::string setting(fs::path const& file, std::string_view key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    std::size_t const equals = line.find('=');
    if (equals == std::string::npos) continue;
    auto const trimmed = [](std::string_view text) {
      std::size_t const first = std::min(text.find_first_not_of(" \t\r"), text.size());
      text.remove_prefix(first);
      return text.substr(0, text.find_last_not_of(" \t\r") + 1);
    };
    if (trimmed(std::string_view(line).substr(0, equals)) == key)
      return std::string(trimmed(std::string_view(line).substr(equals + 1)));
  }
  return {};
}

// Of an interpreter's real file: "python3.12"; empty: its name does not say.
std::string release_of(fs::path const& interpreter) {
  std::string const name = interpreter.filename().string();
  return name.starts_with("python3.") ? name : std::string();
}

// The value of a field of METADATA, whose header ends with an empty line.
std::string field(fs::path const& file, std::string_view key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line) && !line.empty();)
    if (line.starts_with(key) && line.substr(key.size()).starts_with(": ")) {
      line.erase(0, key.size() + 2);
      line.erase(line.find_last_not_of("\r ") + 1);
      return line;
    }
  return {};
}

// Of RECORD, a CSV file: paths relative to the directory of the packages.
std::vector<std::string> modules_of(fs::path const& record, fs::path const& directory, std::size_t most) {
  std::vector<std::string> modules;
  std::ifstream lines(record);
  std::size_t read = 0;
  for (std::string line; modules.size() < most && ++read < most_lines && std::getline(lines, line);) {
    std::string const file = line.substr(0, line.find(','));
    if (file.ends_with(".so") || file.find(".so.") != std::string::npos)
      modules.push_back((directory / file).string());
  }
  return modules;
}

} // namespace

bool is_python(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (!name.starts_with("python")) return false;
  name.remove_prefix(std::string_view("python").size());
  return name.empty() || name == "3" ||
         (name.starts_with("3.") && name.find_first_not_of("0123456789.") == std::string_view::npos);
}

std::string interpreter_of(std::string_view first_line) {
  if (!first_line.starts_with("#!")) return {};
  std::string_view rest = first_line.substr(2);
  auto const next_word = [&rest] {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    std::string_view const word = rest.substr(0, rest.find_first_of(" \t\r\n"));
    rest.remove_prefix(word.size());
    return word;
  };
  std::string_view word = next_word();
  if (word.ends_with("/env")) do
      word = next_word();
    while (word.starts_with('-') || word.find('=') != std::string_view::npos);
  return std::string(word);
}

std::optional<PythonEnvironment> python_environment(std::string const& path, std::string_view python_path,
                                                    std::string const& home) {
  bool const directory = directory_exists(path);
  if (!directory && !is_python(path)) return std::nullopt;
  std::error_code error;
  fs::path const interpreter = directory ? fs::path() : fs::weakly_canonical(path, error);
  fs::path prefix = directory ? fs::path(path) : fs::absolute(path, error).parent_path().parent_path();
  bool const is_virtual = fs::exists(prefix / "pyvenv.cfg", error);
  if (!is_virtual && !directory) prefix = interpreter.parent_path().parent_path();

  PythonEnvironment found;
  while (!python_path.empty()) {
    std::size_t const end = std::min(python_path.find(':'), python_path.size());
    if (end > 0) add(found.directories, python_path.substr(0, end));
    python_path.remove_prefix(std::min(end + 1, python_path.size()));
  }
  std::string const release = release_of(interpreter);
  add_packages_below(found.directories, prefix, is_virtual ? "" : release);
  if (directory && !is_virtual && found.directories.empty()) return std::nullopt;
  std::string const base = is_virtual ? setting(prefix / "pyvenv.cfg", "home") : "";
  bool const sees_base = setting(prefix / "pyvenv.cfg", "include-system-site-packages") == "true";
  if (is_virtual && !sees_base) return found;
  if (!home.empty()) add_packages_below(found.directories, fs::path(home) / ".local", release);
  if (!base.empty()) add_packages_below(found.directories, fs::path(base).parent_path(), release);
  return found;
}

std::string normalized(std::string_view name) {
  std::string text;
  for (char const c : name) {
    bool const separates = c == '-' || c == '_' || c == '.';
    if (!separates)
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!text.ends_with('-'))
      text += '-';
  }
  return text;
}

std::vector<InstalledPackage> installed_packages(std::string const& directory, std::size_t most_modules) {
  std::vector<InstalledPackage> packages;
  for (fs::path const& entry : entries_of(directory)) {
    if (entry.extension() != ".dist-info") continue;
    InstalledPackage installed;
    installed.package = {normalized(field(entry / "METADATA", "Name")), field(entry / "METADATA", "Version")};
    if (known_package(installed.package.name) == nullptr) continue;
    installed.modules = modules_of(entry / "RECORD", directory, most_modules);
    packages.push_back(std::move(installed));
  }
  return packages;
}

} // namespace pegasus::ctl::doctor
