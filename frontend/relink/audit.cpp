// SPDX-License-Identifier: Apache-2.0
// The entry points of the dynamic linker's auditing interface, rtld-audit(7): it tells of each object when it has been
// mapped, before its constructors run. They register a program's kernels, so that is when its runtime is replaced.
#include "frontend/relink/plan.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <filesystem>
#include <link.h>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace pegasus::relink {
namespace {

constexpr char own_program[] = "/proc/self/exe";

struct Object {
  std::string path;
  std::uintptr_t base = 0;
};

std::vector<Object> mapped; // since the last look; the linker calls from one thread at a time
std::vector<Function> runtime;
std::uintptr_t runtime_base = 0;

constexpr std::string_view runtime_name = "libcudart.so.13";

// The runtime beside this library, and no other one of its name.
bool is_our_runtime(std::string const& path) {
  static std::filesystem::path const ours = [] {
    Dl_info self{};
    std::filesystem::path const own =
        dladdr(reinterpret_cast<void const*>(&is_our_runtime), &self) != 0 ? self.dli_fname : "";
    return own.parent_path() / runtime_name;
  }();
  std::error_code error;
  return path.ends_with(runtime_name) && std::filesystem::equivalent(path, ours, error);
}

void say(Object const& object, char const* what) {
  char program[4096] = {};
  bool const is_program =
      object.path == own_program && readlink(own_program, program, sizeof program - 1) > 0;
  std::fprintf(stderr, "pegasus: %s holds NVIDIA's static CUDA runtime, which cannot be replaced: %s\n",
               is_program ? program : object.path.c_str(), what);
}

// No other thread executes what is not initialised yet.
void apply(Object const& object, Plan const& plan) {
  auto const page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  std::uintptr_t first = ~std::uintptr_t{0}, last = 0;
  for (Jump const& jump : plan.jumps) {
    first = std::min(first, object.base + jump.from);
    last = std::max(last, object.base + jump.from + jump_bytes);
  }
  first &= ~(page - 1);
  void* const code = reinterpret_cast<void*>(first);
  if (mprotect(code, last - first, PROT_READ | PROT_WRITE) != 0)
    return say(object, "its code cannot be changed");
  for (Jump const& jump : plan.jumps) {
    unsigned char bytes[jump_bytes] = {0xff, 0x25, 0, 0, 0, 0};
    std::uintptr_t const to = runtime_base + jump.to;
    std::memcpy(bytes + 6, &to, sizeof to);
    std::memcpy(reinterpret_cast<void*>(object.base + jump.from), bytes, sizeof bytes);
  }
  if (mprotect(code, last - first, PROT_READ | PROT_EXEC) != 0) {
    say(object, "its code cannot be executed");
    std::_Exit(1);
  }
}

void look_at(Object const& object) {
  auto const file = ElfFile::open(object.path);
  if (!file) return;
  Plan const plan = plan_of(runtime_functions(*file, SHT_SYMTAB), runtime);
  if ((plan.jumps.empty() && plan.refusal.empty()) || holds_our_runtime(*file)) return;
  plan.refusal.empty() ? apply(object, plan) : say(object, plan.refusal.c_str());
}

} // namespace
} // namespace pegasus::relink

using namespace pegasus::relink;

extern "C" __attribute__((visibility("default"))) unsigned la_version(unsigned version) {
  return version < LAV_CURRENT ? version : LAV_CURRENT;
}

extern "C" __attribute__((visibility("default"))) unsigned la_objopen(link_map* map, Lmid_t space,
                                                                      std::uintptr_t*) {
  try {
    if (space != LM_ID_BASE) return 0;
    Object object{map->l_name[0] != '\0' ? map->l_name : own_program, map->l_addr};
    if (is_our_runtime(object.path)) {
      if (auto const file = ElfFile::open(object.path)) runtime = runtime_functions(*file, SHT_DYNSYM);
      runtime_base = object.base;
    } else {
      mapped.push_back(std::move(object));
    }
  } catch (std::exception const&) {
    return 0;
  }
  return 0;
}

extern "C" __attribute__((visibility("default"))) void la_activity(std::uintptr_t*, unsigned activity) {
  if (activity != LA_ACT_CONSISTENT) return;
  std::vector<Object> const objects = std::exchange(mapped, {});
  if (runtime.empty()) return; // when it comes, these are being executed
  try {
    for (Object const& object : objects)
      look_at(object);
  } catch (std::exception const&) {
    return;
  }
}
