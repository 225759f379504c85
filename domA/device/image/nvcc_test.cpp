// SPDX-License-Identifier: Apache-2.0
// The real output of nvcc with combinations of its options: PTX is found in every fatbin, and all
// PTX is parsed.
#include "domA/device/image/image.h"

#include "domA/device/ptx/parser.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <iterator>

namespace pegasus::image {
namespace {

class Folder {
public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "pegasus-nvcc-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(Folder const&) = delete;
  Folder& operator=(Folder const&) = delete;
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

private:
  std::filesystem::path path_;
};

// The output of nvcc for a source in testdata/ with these options.
std::string compiled(char const* source, char const* options) {
  Folder const folder;
  auto const out = folder.path() / "out";
  std::string const command = fmt::format("'{}' -w -std=c++17 {} '{}/{}' -o '{}'", PEGASUS_NVCC, options,
                                          PEGASUS_TESTDATA, source, out.string());
  INFO(command);
  REQUIRE(std::system(command.c_str()) == 0);
  std::ifstream file(out, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

ptx::Module parsed(std::string text) {
  auto module = ptx::parse(std::move(text));
  INFO((module ? "" : fmt::format("line {}: {}", module.error().line, module.error().message)));
  REQUIRE(module.has_value());
  return std::move(*module);
}

ptx::Module from_image(std::string const& image) {
  auto const texts = ptx_of_image(std::as_bytes(std::span(image)), 1, 75);
  INFO((texts ? "" : texts.error().message));
  REQUIRE(texts.has_value());
  REQUIRE(texts->size() == 1);
  return parsed(texts->front());
}

ptx::Function const* find(ptx::Module const& module, std::string_view part_of_name) {
  auto const at = std::find_if(module.functions.begin(), module.functions.end(), [&](ptx::Function const& f) {
    return f.name.find(part_of_name) != std::string_view::npos;
  });
  return at == module.functions.end() ? nullptr : &*at;
}

TEST_CASE("fatbins of nvcc, each way of compression") {
  auto const* const options = GENERATE("-fatbin", "-fatbin -arch=compute_75", "-fatbin -compress-mode=none",
                                       "-fatbin -compress-mode=speed", "-fatbin -compress-mode=size",
                                       "-fatbin -compress-mode=balance", "-fatbin -rdc=true", "-fatbin -G");
  ptx::Module const module = from_image(compiled("plain.cu", options));
  CHECK(module.target == 75);
  auto const* const kernel = find(module, "twice");
  REQUIRE(kernel != nullptr);
  CHECK(kernel->entry);
  CHECK(kernel->parameters.size() == 2);
  CHECK(kernel->instructions.size() > 5);
}

TEST_CASE("a fatbin for other devices is refused with what it holds") {
  std::string const image = compiled("plain.cu", "-fatbin -gencode arch=compute_90a,code=compute_90a "
                                                 "-gencode arch=compute_100f,code=compute_100f "
                                                 "-gencode arch=compute_80,code=sm_80");
  auto const texts = ptx_of_image(std::as_bytes(std::span(image)), 1, 75);
  REQUIRE_FALSE(texts.has_value());
  CHECK(texts.error().status == device::Status::no_binary_for_gpu);
  CHECK_THAT(texts.error().message,
             Catch::Contains("PTX for compute_100f, compute_90a and machine code for sm_80"));

  std::string const machine_code = compiled("plain.cu", "-cubin -arch=sm_80");
  auto const none = ptx_of_image(std::as_bytes(std::span(machine_code)), 1, 75);
  REQUIRE_FALSE(none.has_value());
  CHECK_THAT(none.error().message, Catch::Contains("machine code for sm_80,"));
}

TEST_CASE("the PTX of both front ends") {
  auto const* const options =
      GENERATE("-ptx -arch=compute_75", "-ptx -arch=compute_75 -G", "-ptx -arch=compute_75 -lineinfo",
               "-ptx -arch=compute_90a", "-ptx -arch=compute_100", "-ptx -arch=compute_100 -G",
               "-ptx -arch=compute_120 -rdc=true");
  ptx::Module const module = parsed(compiled("features.cu", options));
  CHECK(module.version >= 90);
  auto const* const kernel = find(module, "everything");
  REQUIRE(kernel != nullptr);
  REQUIRE(kernel->parameters.size() == 4);
  CHECK(kernel->parameters[1].bytes == 32);
  CHECK(kernel->max_threads[0] == 256);
  CHECK(kernel->max_threads[2] == 1);
  CHECK_FALSE(kernel->label_lists.size() + kernel->prototypes.size() == 0);
  auto const table = std::find_if(module.variables.begin(), module.variables.end(),
                                  [](ptx::Variable const& v) { return v.name == "table"; });
  REQUIRE(table != module.variables.end());
  CHECK(table->space == ptx::Space::constant);
  CHECK(table->bytes == 96);
  CHECK(table->initial.at(17) == 'e');
  auto const functions = std::find_if(module.variables.begin(), module.variables.end(),
                                      [](ptx::Variable const& v) { return v.name == "functions"; });
  REQUIRE(functions != module.variables.end());
  CHECK(functions->relocations.size() == 2);
}

TEST_CASE("one unit of a program of several units") {
  ptx::Module const module = parsed(compiled("linked.cu", "-ptx -rdc=true -arch=compute_75"));
  auto const* const other = find(module, "other");
  REQUIRE(other != nullptr);
  CHECK(other->external);
  CHECK_FALSE(other->defined);
  REQUIRE(module.variables.size() == 1);
  CHECK(module.variables[0].external);
}

} // namespace
} // namespace pegasus::image
