// SPDX-License-Identifier: Apache-2.0
// Tests the check on programs that nvcc built for this test, and on hostile files.
#include "ctl/run/cuda_check.h"

#include "ctl/process/temporary_directory.h"
#include "ctl/run/test_samples.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sys/stat.h>

using namespace pegasus::ctl;
using namespace pegasus::ctl::test;
using pegasus::relink::ElfFile;

namespace {

class Scratch {
public:
  std::string const& write(std::string const& bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
    return path_;
  }

private:
  TemporaryDirectory directory_ = std::move(TemporaryDirectory::create().value());
  std::string path_ = directory_.path() + "/program";
};

CudaRuntime runtime_of(std::string const& path) {
  auto const file = ElfFile::open(path);
  REQUIRE(file);
  return cuda_runtime_of(*file);
}

} // namespace

TEST_CASE("how programs reach the CUDA runtime") {
  CHECK(runtime_of(sample("kernel_shared")) == CudaRuntime::shared);
  CHECK(runtime_of(sample("kernel_static")) == CudaRuntime::nvidia_static);
  CHECK(runtime_of(sample("kernel_static_stripped")) == CudaRuntime::nvidia_static);
  CHECK(runtime_of("/bin/sh") == CudaRuntime::unknown);
  CHECK(runtime_of("/proc/self/exe") == CudaRuntime::unknown); // it contains the check's own texts, in parts
}

TEST_CASE("a program for another release, and one with our own static runtime") {
  Scratch scratch;
  std::string other = contents(sample("kernel_shared"));
  for (auto const& [last, runtime] :
       {std::pair{'2', CudaRuntime::shared}, std::pair{'4', CudaRuntime::other_release}}) {
    for (std::size_t at = 0; (at = other.find("libcudart.so.1", at)) != std::string::npos;)
      other[at += std::strlen("libcudart.so.1")] = last;
    CHECK(runtime_of(scratch.write(other)) == runtime);
  }
  CHECK(runtime_of(scratch.write(contents(sample("kernel_static")) + "PEGASUS_CUDART_STATIC")) ==
        CudaRuntime::ours_static);
}

TEST_CASE("the message names the program and the remedies") {
  std::string const problem = cuda_problem(sample("kernel_static_stripped"), "/opt/p/lib");
  for (char const* const part : {"kernel_static_stripped", "symbols are stripped", "-cudart shared",
                                 "CMAKE_CUDA_RUNTIME_LIBRARY=Shared", "/opt/p/lib/libcudart_static.a"})
    CHECK(problem.find(part) != std::string::npos);
  CHECK(cuda_problem(sample("kernel_shared"), "/opt/p/lib").empty());
  CHECK(cuda_problem(sample("kernel_static"), PEGASUS_RUNTIME_DIRECTORY).empty()); // it is replaced
  CHECK(cuda_problem("/nowhere", "/opt/p/lib").empty());
  CHECK(cuda_problem("/", "/opt/p/lib").empty());
  CHECK(cuda_problem("/dev/zero", "/opt/p/lib").empty());
}

TEST_CASE("a program that was linked with -static is told so") {
  Scratch scratch;
  std::string without_libraries = contents(sample("kernel_static"));
  Elf64_Ehdr header{};
  std::memcpy(&header, without_libraries.data(), sizeof header);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    char* const at = without_libraries.data() + header.e_phoff + i * sizeof(Elf64_Phdr);
    Elf64_Phdr segment{};
    std::memcpy(&segment, at, sizeof segment);
    if (segment.p_type == PT_DYNAMIC) segment.p_type = PT_NULL;
    std::memcpy(at, &segment, sizeof segment);
  }
  std::string const problem = cuda_problem(scratch.write(without_libraries), PEGASUS_RUNTIME_DIRECTORY);
  CHECK(problem.find("it was linked with -static") != std::string::npos);
}

TEST_CASE("a pipe is not waited for") {
  auto const directory = std::move(TemporaryDirectory::create().value());
  std::string const pipe = directory.path() + "/pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_FALSE(ElfFile::open(pipe));
}

TEST_CASE("files that are not 64-bit ELF are not CUDA programs") {
  Scratch scratch;
  CHECK_FALSE(ElfFile::open(scratch.write("")));
  CHECK_FALSE(ElfFile::open(scratch.write("#!/bin/sh\n")));
  CHECK_FALSE(ElfFile::open(scratch.write(contents(sample("kernel_shared")).substr(0, 63))));
  std::string other = contents(sample("kernel_shared")).substr(0, 4096);
  other[EI_CLASS] = ELFCLASS32;
  CHECK_FALSE(ElfFile::open(scratch.write(other)));
}

TEST_CASE("a truncated ELF file is read safely") {
  Scratch scratch;
  std::string const whole = contents(sample("kernel_shared"));
  for (std::size_t length = 64; length < whole.size(); length += length < 1024 ? 13 : 499) {
    auto const file = ElfFile::open(scratch.write(whole.substr(0, length)));
    REQUIRE(file);
    CudaRuntime const runtime = cuda_runtime_of(*file);
    CHECK((runtime == CudaRuntime::unknown || runtime == CudaRuntime::shared));
  }
}

TEST_CASE("wrong offsets, sizes and counts in an ELF file are read safely") {
  Scratch scratch;
  std::string const whole = contents(sample("kernel_shared")).substr(0, 32768);
  std::mt19937 random(20); // NOLINT: the same bytes in every run
  for (int round = 0; round < 400; ++round) {
    std::string bytes = whole;
    Elf64_Ehdr header{};
    std::memcpy(&header, bytes.data(), sizeof header);
    // The headers' fields, and any bytes of the tables that they refer to.
    for (int change = 0; change < 6; ++change) {
      bool const in_header = change < 2;
      std::size_t const at = in_header ? EI_NIDENT + 4 + random() % (sizeof header - EI_NIDENT - 12)
                                       : header.e_phoff + random() % (header.e_phnum * sizeof(Elf64_Phdr));
      std::uint64_t const extreme[] = {0, UINT64_MAX, UINT64_MAX >> 1, random(), whole.size() - 1};
      std::uint64_t const value = extreme[random() % 5];
      std::memcpy(bytes.data() + std::min(at, bytes.size() - 8), &value, 1 + random() % 8);
    }
    if (auto const file = ElfFile::open(scratch.write(bytes))) (void)cuda_runtime_of(*file);
  }
  SUCCEED("no sanitizer complained");
}

TEST_CASE("texts are found across the borders of what is read at a time") {
  Scratch scratch;
  std::string const head = contents(sample("kernel_shared")).substr(0, 4096);
  std::vector<std::string_view> const wanted{"needle-in-a-haystack", "absent"};
  for (std::size_t const before :
       {std::size_t{5000}, (std::size_t{1} << 20) - 7, (std::size_t{1} << 20) - 128}) {
    std::string bytes = head;
    bytes.resize(before);
    auto const file =
        ElfFile::open(scratch.write(bytes + "needle-in-a-haystack" + std::string(1 << 20, 'x')));
    REQUIRE(file);
    CHECK(file->contains(wanted) == std::vector<bool>{true, false});
  }
}
