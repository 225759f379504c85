// SPDX-License-Identifier: Apache-2.0
// The packages that a Python interpreter would find, by the files of its installation: nothing is executed.
#pragma once

#include "ctl/doctor/facts.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::ctl::doctor {

struct PythonEnvironment {
  std::vector<std::string> directories; // site-packages and dist-packages
};

// `path`: an interpreter (by its file's name), or the directory of a virtual environment or of an installation. nullopt:
// it is neither. `python_path`, `home`: the values of $PYTHONPATH and $HOME.
[[nodiscard]] std::optional<PythonEnvironment>
python_environment(std::string const& path, std::string_view python_path, std::string const& home);

[[nodiscard]] bool is_python(std::string_view path); // "python", "python3", "python3.12", with directories

// "#! /usr/bin/env python3" of a script's first line: the interpreter's path, or its name behind env; empty: no script.
[[nodiscard]] std::string interpreter_of(std::string_view first_line);

struct InstalledPackage {
  Package package;
  std::vector<std::string> modules; // files with native code
};

// Those whose name a table knows; at most `most_modules` files of each.
[[nodiscard]] std::vector<InstalledPackage> installed_packages(std::string const& directory,
                                                               std::size_t most_modules);

// "Cuda_Python" is "cuda-python" (PyPA, "Names and normalization").
[[nodiscard]] std::string normalized(std::string_view name);

} // namespace pegasus::ctl::doctor
