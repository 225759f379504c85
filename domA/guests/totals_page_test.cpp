// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/totals_page.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

using pegasus::guests::TotalsPage;

namespace {

std::vector<pegasus_task_total> tasks(std::uint32_t count) {
  std::vector<pegasus_task_total> result(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    result[i].task = i;
    result[i].device_ns = 1000 + i;
  }
  return result;
}

} // namespace

TEST_CASE("a page shows what was written last, between two even sequences") {
  pegasus_totals pages{};
  pegasus::guests::initialize_totals(pages, 7);
  TotalsPage page(pages);
  page.write(tasks(3));
  CHECK(pages.magic == PEGASUS_TOTALS_MAGIC);
  CHECK(pages.version == 7);
  CHECK(pages.tasks == 3);
  CHECK(pages.unlisted == 0);
  CHECK(pages.task[2].device_ns == 1002);
  CHECK((pages.sequence == 2 && pages.updates == 1));
  page.write(tasks(1));
  CHECK(pages.tasks == 1);
  CHECK((pages.sequence == 4 && pages.updates == 2));
}

TEST_CASE("tasks beyond the last entry are counted, and nothing is written behind it") {
  struct {
    pegasus_totals pages;
    char behind[64];
  } memory;
  std::memset(&memory, 0x5a, sizeof memory);
  TotalsPage(memory.pages).write(tasks(PEGASUS_TOTALS_TASKS + 7));
  CHECK(memory.pages.tasks == PEGASUS_TOTALS_TASKS);
  CHECK(memory.pages.unlisted == 7);
  CHECK(memory.pages.task[PEGASUS_TOTALS_TASKS - 1].task == PEGASUS_TOTALS_TASKS - 1);
  for (char const byte : memory.behind)
    REQUIRE(byte == 0x5a);
}

TEST_CASE("what a guest writes into its pages does not last") {
  pegasus_totals pages{};
  TotalsPage page(pages);
  page.write(tasks(2));
  std::memset(&pages, 0xff, sizeof pages);
  page.write(tasks(2));
  CHECK((pages.sequence == 4 && pages.updates == 2));
  CHECK(pages.tasks == 2);
  CHECK(pages.task[1].device_ns == 1001);
}
