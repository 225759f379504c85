// SPDX-License-Identifier: Apache-2.0
// Memory of the host that a program shares with its kernels: mapped and managed.
#include "domA/device/software/context.h"

#include "domA/device/memory/quota_test_fixture.h"
#include "domA/device/software/context_test_fixture.h"
#include "tests/support/time_slices.h"

#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>

using namespace pegasus::software;
using namespace pegasus::software::test;
using pegasus::device::Address;
using pegasus::device::HostMemory;
using pegasus::device::HostWindow;
using pegasus::memory::test::QuotaMemory;

namespace {

constexpr std::uint64_t page = HostWindow::granule;

// add(u64 p, u64 v): *(u32*)p += v.
constexpr std::string_view add = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry add(.param .u64 p, .param .u64 v)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [v];
  cvta.to.global.u64 %rd2, %rd1;
  ld.global.u32 %r2, [%rd2];
  add.u32 %r3, %r2, %r1;
  st.global.u32 [%rd2], %r3;
  ret;
}
)";

// A file that two have mapped: the device, and the program.
struct SharedFile {
  static constexpr std::uint64_t bytes = 64 * page;
  static constexpr Address base = 0x2000'0000'0000;

  SharedFile() {
    int const file = memfd_create("window", MFD_CLOEXEC);
    REQUIRE((file >= 0 && ftruncate(file, bytes) == 0));
    for (auto& at : mapped) {
      void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      REQUIRE(pages != MAP_FAILED);
      at = static_cast<std::byte*>(pages);
    }
    close(file);
  }
  ~SharedFile() {
    for (std::byte* at : mapped)
      munmap(at, bytes);
  }
  SharedFile(SharedFile const&) = delete;
  SharedFile& operator=(SharedFile const&) = delete;

  [[nodiscard]] Options options() const {
    return {.memory_bytes = 64u << 20, .host = {base, {mapped[0], bytes}}};
  }
  [[nodiscard]] std::uint32_t* program(Address address) const {
    return reinterpret_cast<std::uint32_t*>(mapped[1] + (address - base));
  }

  std::byte* mapped[2] = {};
};

Address allocate(Fixture& f, std::uint64_t bytes, HostMemory kind) {
  Address address = 0;
  REQUIRE(f.context->allocate_host(bytes, kind, address) == Status::success);
  REQUIRE(address >= SharedFile::base);
  REQUIRE(address + bytes <= SharedFile::base + SharedFile::bytes);
  return address;
}

// Afterwards: synchronize() has the kernel's fault.
void add_to(Fixture& f, Address address, std::uint64_t value) {
  auto const module = f.load(add);
  auto const parameters = pack({address, value});
  pegasus::testing::EndlessSlice const slice;
  REQUIRE(f.context->launch(nullptr, *module->function("add"), {.parameters = parameters}, slice) ==
          Status::success);
}

} // namespace

TEST_CASE("a kernel, a fill and copies reach the same bytes as the program") {
  SharedFile const file;
  Fixture f(file.options());
  auto const kind = GENERATE(HostMemory::mapped, HostMemory::managed);
  Address const shared = allocate(f, 1000, kind);
  CHECK(shared % page == 0);
  *file.program(shared) = 41;

  add_to(f, shared, 1);
  CHECK(*file.program(shared) == 42);

  f.write(shared + 4, std::vector<std::uint32_t>{7});
  CHECK(file.program(shared)[1] == 7);
  Address const device = f.allocate(1000);
  REQUIRE(f.context->copy_device(nullptr, {device, 0, 8, 1}, shared, 0) == Status::success);
  CHECK(f.read<std::uint32_t>(device, 2) == std::vector<std::uint32_t>{42, 7});
  REQUIRE(f.context->fill(nullptr, {shared, 0, 1000, 1}, 9, 4) == Status::success);
  CHECK(std::all_of(file.program(shared), file.program(shared) + 250, [](auto v) { return v == 9; }));
  CHECK(file.program(shared)[250] == 0);
}

TEST_CASE("a kernel does not get past the end of memory that it shares") {
  SharedFile const file;
  Fixture f(file.options());
  Address const shared = allocate(f, 2 * page, HostMemory::mapped);
  allocate(f, page, HostMemory::mapped);
  add_to(f, shared + 2 * page, 1);
  CHECK(f.context->synchronize() == Status::illegal_address);
}

TEST_CASE("freed memory reads as zero on both sides, and its addresses are used again") {
  SharedFile const file;
  Fixture f(file.options());
  Address const first = allocate(f, 40 * page, HostMemory::mapped);
  std::fill_n(file.program(first), 40 * page / 4, 0xdeadbeefu);
  REQUIRE(f.context->free(first) == Status::success);
  CHECK(f.context->free(first) == Status::invalid_value);
  CHECK(std::all_of(file.program(first), file.program(first) + 40 * page / 4, [](auto v) { return v == 0; }));
  Address const second = allocate(f, 40 * page, HostMemory::managed);
  CHECK(second == first);
  CHECK(f.read<std::uint32_t>(second, 4) == std::vector<std::uint32_t>(4, 0));
}

TEST_CASE("a context leaves nothing in the memory that it shared") {
  SharedFile const file;
  Address shared = 0;
  {
    Fixture f(file.options());
    shared = allocate(f, page, HostMemory::mapped);
    *file.program(shared) = 1;
  }
  CHECK(*file.program(shared) == 0);
}

TEST_CASE("managed memory counts as device memory, mapped memory has the window's size as its limit") {
  SharedFile const file;
  QuotaMemory memory(100 * page);
  Options options = file.options();
  options.quota = memory.take(0, 1, {10 * page});
  Fixture f(options);
  std::uint64_t const before = f.context->memory_used();
  allocate(f, 1, HostMemory::mapped);
  CHECK(f.context->memory_used() == before);
  Address const managed = allocate(f, 5 * page + 1, HostMemory::managed);
  CHECK(f.context->memory_used() == before + 6 * page);

  Address none = 0;
  CHECK(f.context->allocate_host(5 * page, HostMemory::managed, none) == Status::out_of_memory);
  CHECK(!f.output(pegasus::device::Output::Kind::diagnostic).empty());
  CHECK(f.context->allocate_host(SharedFile::bytes, HostMemory::mapped, none) == Status::out_of_memory);
  CHECK(f.context->allocate_host(~std::uint64_t{0}, HostMemory::managed, none) == Status::out_of_memory);
  CHECK(f.context->allocate_host(0, HostMemory::mapped, none) == Status::invalid_value);
  REQUIRE(f.context->free(managed) == Status::success);
  CHECK(f.context->memory_used() == before);
}

TEST_CASE("an evicted task's shared memory stays where the program sees it") {
  SharedFile const file;
  Fixture f(file.options());
  Address const shared = allocate(f, page, HostMemory::managed);
  Address const device = f.allocate(page);
  f.write(device, std::vector<std::uint32_t>{5});
  *file.program(shared) = 6;
  REQUIRE(f.context->evict() == Status::success);
  CHECK(*file.program(shared) == 6);
  *file.program(shared) = 7; // the program goes on
  REQUIRE(f.context->restore() == Status::success);
  CHECK(f.read<std::uint32_t>(shared, 1) == std::vector<std::uint32_t>{7});
  CHECK(f.read<std::uint32_t>(device, 1) == std::vector<std::uint32_t>{5});
}

TEST_CASE("a context without a window shares no memory") {
  Fixture f;
  Address none = 0;
  CHECK(f.context->allocate_host(page, HostMemory::mapped, none) == Status::not_supported);
  CHECK(f.context->memory_used() == 0);
}
