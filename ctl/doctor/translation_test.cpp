// SPDX-License-Identifier: Apache-2.0
// Images of programs that nvcc built for this test, translated; and damaged ones.
#include "ctl/doctor/translation.h"

#include "ctl/process/temporary_directory.h"
#include "ctl/run/test_samples.h"

#include <catch2/catch.hpp>
#include <elf.h>
#include <fstream>
#include <random>

using namespace pegasus::ctl;
using namespace pegasus::ctl::doctor;
using namespace pegasus::ctl::test;
using pegasus::relink::ElfFile;

namespace {

Translation const unhurried(Translation::Clock::now() + std::chrono::hours(1));

ImageFacts facts_of(ElfFile const& file, Translation const& translation = unhurried) {
  ImageFacts facts;
  EmbeddedImages const images(file);
  for (std::size_t i = 0; i < images.count(); ++i)
    translation.add(images.image(i), facts);
  return facts;
}

} // namespace

TEST_CASE("the image of a program, shared and static, stripped or not") {
  for (char const* const name : {"kernel_shared", "kernel_static", "kernel_static_stripped"}) {
    auto const file = ElfFile::open(sample(name));
    REQUIRE(file);
    ImageFacts const facts = facts_of(*file);
    INFO(name);
    CHECK(facts.images == 1);
    CHECK(facts.without_code == 0);
    CHECK(facts.kernels == 1);
    CHECK(facts.unusable.empty());
    CHECK(facts.found.ptx == std::set<std::string>{"compute_75"});
  }
}

TEST_CASE("without time, images are counted as left") {
  auto const file = ElfFile::open(sample("kernel_shared"));
  REQUIRE(file);
  ImageFacts const facts = facts_of(*file, Translation(Translation::Clock::now()));
  CHECK(facts.left == 1);
  CHECK(facts.kernels == 0);
}

TEST_CASE("PTX in a fatbin that a test makes") {
  ImageFacts facts;
  unhurried.add({}, facts);
  CHECK(facts.refused == std::map<std::string, std::size_t>{{"the image is damaged", 1}});
  unhurried.add({{"not a fatbin"}}, facts);
  CHECK(facts.refused.size() == 2);
  unhurried.add(
      {{".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k() { frob.u32 %r1; ret; }"}}, facts);
  CHECK(facts.images == 3);
}

TEST_CASE("a kernel with an unknown instruction is named, with reason and line") {
  ImageFacts facts;
  unhurried.add({{".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry good() { ret; }\n"
                  ".visible .entry bad()\n{\n.reg .b32 %r<3>;\nfrob.u32 %r1, %r2;\nret;\n}\n"}},
                facts);
  CHECK(facts.kernels == 2);
  REQUIRE(facts.unusable.size() == 1);
  CHECK(facts.unusable[0].name == "bad");
  CHECK(facts.unusable[0].line == 8);
  CHECK(facts.unusable[0].reason == "the software accelerator does not know the instruction 'frob.u32'");
}

TEST_CASE("damaged programs are read safely") {
  auto const directory = std::move(TemporaryDirectory::create().value());
  std::string const path = directory.path() + "/program";
  std::string const whole = contents(sample("kernel_shared"));
  std::mt19937 random(7); // NOLINT: the same bytes in every run
  for (int round = 0; round < 300; ++round) {
    std::string bytes = whole;
    if (round % 3 == 0) bytes.resize(64 + random() % bytes.size());
    for (int change = 0; change < 12; ++change)
      bytes[64 + random() % (bytes.size() - 64)] = static_cast<char>(random());
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    if (auto const file = ElfFile::open(path)) {
      (void)facts_of(*file);
      (void)file->dynamic();
      static constexpr std::string_view all[] = {""};
      (void)file->symbols(false, all);
    }
  }
  SUCCEED("no sanitizer complained");
}
