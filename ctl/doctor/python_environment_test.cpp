// SPDX-License-Identifier: Apache-2.0
#include "ctl/doctor/python_environment.h"

#include "ctl/process/temporary_directory.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;
using namespace pegasus::ctl;
using namespace pegasus::ctl::doctor;

namespace {

class Tree {
public:
  fs::path write(std::string const& name, std::string const& text) {
    fs::path const path = root_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path;
  }
  [[nodiscard]] fs::path const& root() const { return root_; }

private:
  TemporaryDirectory directory_ = std::move(TemporaryDirectory::create().value());
  fs::path root_ = fs::canonical(directory_.path());
};

std::vector<std::string> directories_of(fs::path const& path, std::string const& home = "") {
  auto const found = python_environment(path.string(), "", home);
  REQUIRE(found);
  return found->directories;
}

} // namespace

TEST_CASE("which names are Python's") {
  for (char const* const name : {"python", "python3", "/usr/bin/python3.12", "python3.9"})
    CHECK(is_python(name));
  for (char const* const name : {"python2", "pythonista", "/opt/python3/app", "python3-config", ""})
    CHECK_FALSE(is_python(name));
}

TEST_CASE("a script's interpreter") {
  CHECK(interpreter_of("#!/usr/bin/env python3") == "python3");
  CHECK(interpreter_of("#! /venv/bin/python -I\n") == "/venv/bin/python");
  CHECK(interpreter_of("#!/usr/bin/env -S A=b python3 -u") == "python3");
  CHECK(interpreter_of("#!").empty());
  CHECK(interpreter_of("\x7f"
                       "ELF")
            .empty());
}

TEST_CASE("a virtual environment, with the packages of its base and without") {
  Tree tree;
  fs::path const packages = tree.write("venv/lib/python3.11/site-packages/x", "").parent_path();
  fs::path const base = tree.write("base/lib/python3.11/site-packages/x", "").parent_path();
  fs::path const python = tree.write("venv/bin/python3", "");
  tree.write("venv/pyvenv.cfg", "home = " + (tree.root() / "base/bin").string() + "\n");
  CHECK(directories_of(python) == std::vector{packages.string()});
  CHECK(directories_of(tree.root() / "venv") == std::vector{packages.string()});
  tree.write("venv/pyvenv.cfg",
             "home = " + (tree.root() / "base/bin").string() + "\ninclude-system-site-packages = true\n");
  CHECK(directories_of(python) == std::vector{packages.string(), base.string()});
}

TEST_CASE("an installation: only the packages of this release, and the user's") {
  Tree tree;
  fs::path const packages = tree.write("usr/lib/python3.12/site-packages/x", "").parent_path();
  fs::path const debian = tree.write("usr/lib/python3/dist-packages/x", "").parent_path();
  tree.write("usr/lib/python3.9/site-packages/x", "");
  fs::path const own = tree.write("home/.local/lib/python3.12/site-packages/x", "").parent_path();
  tree.write("usr/bin/python3.12", "");
  fs::create_symlink("python3.12", tree.root() / "usr/bin/python3");
  CHECK(directories_of(tree.root() / "usr/bin/python3", (tree.root() / "home").string()) ==
        std::vector{debian.string(), packages.string(), own.string()});
}

TEST_CASE("what is no environment") {
  Tree tree;
  tree.write("empty/x", "");
  CHECK_FALSE(python_environment((tree.root() / "empty").string(), "", ""));
  CHECK_FALSE(python_environment("/bin/sh", "", ""));
}

TEST_CASE("packages that are known, their versions and modules") {
  Tree tree;
  tree.write("Cuda_Python-12.9.dist-info/METADATA",
             "Metadata-Version: 2.1\nName: Cuda_Python\r\nVersion: 12.9\n\nName: x\n");
  tree.write("Cuda_Python-12.9.dist-info/RECORD",
             "cuda/a.py,,\ncuda/b.cpython-311.so,sha256=x,10\ncuda/c.so.1,,\ncuda/d.so,,\n");
  tree.write("numpy-2.0.dist-info/METADATA", "Name: numpy\nVersion: 2.0\n");
  tree.write("torch-2.dist-info/x", "");
  auto const packages = installed_packages(tree.root().string(), 2);
  REQUIRE(packages.size() == 1);
  CHECK(packages[0].package.name == "cuda-python");
  CHECK(packages[0].package.version == "12.9");
  CHECK(packages[0].modules == std::vector{(tree.root() / "cuda/b.cpython-311.so").string(),
                                           (tree.root() / "cuda/c.so.1").string()});
  CHECK(installed_packages("/nowhere", 1).empty());
}
