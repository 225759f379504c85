// SPDX-License-Identifier: Apache-2.0
// Tries to map a frame of the machine's memory as if it belonged to this guest. A PV guest can try this with
// any frame number that it guesses.
//
//   map_frame FRAME mapped|refused
//
// Prints PASS and exits with 0 if the result is the expected one.
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

namespace {

// From Linux's <xen/privcmd.h>, which is in no package.
struct MapBatch {
  std::uint32_t count;
  std::uint16_t domain;
  std::uint64_t address;
  unsigned long const* frames;
  int* errors;
};
constexpr unsigned long map_batch = _IOC(_IOC_NONE, 'P', 4, sizeof(MapBatch));
constexpr std::uint16_t self = 0x7ff0; // DOMID_SELF
constexpr std::size_t page_bytes = 4096;

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: map_frame FRAME mapped|refused\n", stderr);
    return 2;
  }
  unsigned long const frame = std::strtoul(argv[1], nullptr, 16);
  int const commands = open("/dev/xen/privcmd", O_RDWR | O_CLOEXEC);
  void* const page = mmap(nullptr, page_bytes, PROT_READ, MAP_SHARED, commands, 0);
  if (commands < 0 || page == MAP_FAILED) {
    std::perror("map_frame: /dev/xen/privcmd");
    return 2;
  }
  int error = 0;
  MapBatch const batch{1, self, reinterpret_cast<std::uintptr_t>(page), &frame, &error};
  bool const mapped = ioctl(commands, map_batch, &batch) == 0 && error == 0;
  std::printf("frame %lx: %s (%s)\n", frame, mapped ? "mapped" : "refused",
              mapped ? "" : std::strerror(error != 0 ? -error : errno));
  if (mapped) std::printf("it begins with %x\n", *static_cast<std::uint32_t const volatile*>(page));
  if (mapped != (std::strcmp(argv[2], "mapped") == 0)) return 1;
  std::puts("PASS");
  return 0;
}
