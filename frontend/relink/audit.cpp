// SPDX-License-Identifier: Apache-2.0
// The entry points of the dynamic linker's auditing interface, rtld-audit(7): it tells of each object when it has been
// mapped, before its constructors run. They register a program's kernels, so that is when its runtime is replaced. It also
// tells of each file before it opens it: then NVIDIA's compilers get our front ends. And it is there when a process ends: what
// NVIDIA's assembler wrote gets its PTX.
#include "frontend/relink/front_ends.h"
#include "frontend/relink/plan.h"
#include "frontend/relink/ptxas.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <filesystem>
#include <link.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/auxv.h>
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

// One of ours, which lie beside this library; no others of their names.
struct Runtime {
  int release;
  std::string path; // empty until it is mapped
  std::uintptr_t base = 0;
};
std::array<Runtime, releases.size()> runtimes{Runtime{releases[0], {}}, Runtime{releases[1], {}},
                                              Runtime{releases[2], {}}};

std::filesystem::path const& own_directory() {
  static std::filesystem::path const directory = [] {
    Dl_info self{};
    return std::filesystem::path(
               dladdr(reinterpret_cast<void const*>(&own_directory), &self) != 0 ? self.dli_fname : "")
        .parent_path();
  }();
  return directory;
}

Runtime* runtime_at(std::string const& path) {
  std::error_code error;
  for (Runtime& runtime : runtimes)
    if (path.ends_with(runtime_name(runtime.release)) &&
        std::filesystem::equivalent(path, own_directory() / runtime_name(runtime.release), error))
      return &runtime;
  return nullptr;
}

std::string path_of_program(link_map const& map) {
  bool const linker_was_called = getauxval(AT_BASE) == 0; // `ld-linux-x86-64.so.2 PROGRAM`
  if (!linker_was_called) {
    // AT_EXECFN: as the program's parent wrote it, where there is no /proc.
    auto const* const started_as = reinterpret_cast<char const*>(getauxval(AT_EXECFN));
    return access(own_program, F_OK) == 0 || started_as == nullptr ? own_program : started_as;
  }
  auto const inside = reinterpret_cast<std::uintptr_t>(map.l_ld);
  // Not a stream: it would double this library's size.
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> const maps(std::fopen("/proc/self/maps", "re"),
                                                             std::fclose);
  char line[4096 + 128] = {};
  while (maps && std::fgets(line, sizeof line, maps.get()) != nullptr) {
    std::uintptr_t first = 0, end = 0;
    char path[4096] = {};
    if (std::sscanf(line, "%lx-%lx %*s %*s %*s %*s %4095[^\n]", &first, &end, path) == 3 && first <= inside &&
        inside < end)
      return path;
  }
  return own_program;
}

void say(Object const& object, char const* what) {
  char program[4096] = {};
  bool const is_program =
      object.path == own_program && readlink(own_program, program, sizeof program - 1) > 0;
  std::fprintf(stderr, "pegasus: %s holds NVIDIA's static CUDA runtime, which cannot be replaced: %s\n",
               is_program ? program : object.path.c_str(), what);
}

// No other thread executes what is not initialised yet.
void apply(Object const& object, Plan const& plan, Runtime const& runtime) {
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
    std::uintptr_t const to = runtime.base + jump.to;
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
  std::vector<Function> const functions = runtime_functions(*file, SHT_SYMTAB);
  auto const runtime = std::ranges::find(runtimes, release_of(functions), &Runtime::release);
  if (runtime == runtimes.end() || holds_our_runtime(*file)) return;
  auto const ours = ElfFile::open(runtime->path); // only now: most processes hold no such runtime
  if (!ours)
    return say(object, (std::string(runtime_name(runtime->release)) + " of Pegasus is not loaded").c_str());
  Plan const plan = plan_of(functions, runtime_functions(*ours, SHT_DYNSYM));
  plan.refusal.empty() ? apply(object, plan, *runtime) : say(object, plan.refusal.c_str());
}

// The process, if it is ptxas, until its end.
std::optional<Ptxas> assembler;

[[gnu::destructor]] void keep_ptx_of_assembler() {
  try {
    if (assembler) assembler->keep_ptx();
  } catch (std::exception const&) {
    return;
  }
}

} // namespace
} // namespace pegasus::relink

using namespace pegasus::relink;

extern "C" __attribute__((visibility("default"))) unsigned la_version(unsigned version) {
  return version < LAV_CURRENT ? version : LAV_CURRENT;
}

extern "C" __attribute__((visibility("default"))) char* la_objsearch(char const* name, std::uintptr_t*,
                                                                     unsigned) {
  try {
    static FrontEnds front_ends(own_directory() / "jit");
    return const_cast<char*>(front_ends.search(name));
  } catch (std::exception const&) {
    return const_cast<char*>(name);
  }
}

extern "C" __attribute__((visibility("default"))) unsigned la_objopen(link_map* map, Lmid_t space,
                                                                      std::uintptr_t*) {
  try {
    if (space != LM_ID_BASE) return 0;
    Object object{map->l_name[0] != '\0' ? map->l_name : path_of_program(*map), map->l_addr};
    if (Runtime* const runtime = runtime_at(object.path)) {
      runtime->base = object.base;
      runtime->path = std::move(object.path);
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
  bool const any = std::ranges::any_of(runtimes, [](Runtime const& one) { return !one.path.empty(); });
  if (!any) return; // when one comes, these are being executed
  try {
    for (Object const& object : objects)
      look_at(object);
  } catch (std::exception const&) {
    return;
  }
}

extern "C" __attribute__((visibility("default"))) void la_preinit(std::uintptr_t*) {
  try {
    assembler = Ptxas::of_this_process();
  } catch (std::exception const&) {
    return;
  }
}
