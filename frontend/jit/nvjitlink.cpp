// SPDX-License-Identifier: Apache-2.0
// libnvJitLink: a link for machine code gives an image of PTX where the accelerator needs it. A program's handle is NVIDIA's;
// the table keeps what was given to such links.
#include "frontend/cuda/image.h"
#include "frontend/jit/accelerator.h"
#include "frontend/jit/link.h"
#include "frontend/jit/nvidia.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <vector>

using namespace pegasus::jit;

// As in nvJitLink.h, which the build does without.
using nvJitLinkHandle = struct nvJitLink*;
enum nvJitLinkResult : int { NVJITLINK_SUCCESS = 0, NVJITLINK_ERROR_INTERNAL = 6 };
enum nvJitLinkInputType : int { NVJITLINK_INPUT_CUBIN = 1, NVJITLINK_INPUT_PTX = 2 };
extern "C" {
nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle*, std::uint32_t, char const* const*);
nvJitLinkResult nvJitLinkDestroy(nvJitLinkHandle*);
nvJitLinkResult nvJitLinkAddData(nvJitLinkHandle, nvJitLinkInputType, void const*, std::size_t, char const*);
nvJitLinkResult nvJitLinkAddFile(nvJitLinkHandle, nvJitLinkInputType, char const*);
nvJitLinkResult nvJitLinkComplete(nvJitLinkHandle);
nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle, std::size_t*);
nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle, void*);
nvJitLinkResult nvJitLinkGetLinkedPtxSize(nvJitLinkHandle, std::size_t*);
nvJitLinkResult nvJitLinkGetLinkedPtx(nvJitLinkHandle, char*);
}

namespace {

constexpr nvJitLinkResult missing = NVJITLINK_ERROR_INTERNAL;

struct LinkOfPtx {
  bool optimises = false;
  bool has_intermediate_code = false; // in NVIDIA's link, which makes PTX of it
  Link link;
};

std::mutex table_mutex;
std::map<nvJitLinkHandle, LinkOfPtx> table;

LinkOfPtx* find(nvJitLinkHandle handle) {
  std::lock_guard const lock(table_mutex);
  auto const found = table.find(handle);
  return found == table.end() ? nullptr : &found->second;
}

void say_what_is_not_linked(char const* name) {
  std::fprintf(stderr,
               "pegasus: nvJitLink: %s is not linked: only PTX, fatbins and intermediate code can be, not "
               "host objects and libraries\n",
               name == nullptr ? "an input" : name);
}

// What NVIDIA's link checks, and in a link that optimises, makes PTX of. Only ours reads an earlier result.
bool is_for_nvidia(LinkOfPtx const& ours, Form form) {
  return ours.optimises ? form == Form::fatbin || form == Form::other : form != Form::linked;
}

nvJitLinkResult add(LinkOfPtx& ours, nvJitLinkHandle handle, nvJitLinkInputType type,
                    std::span<std::byte const> data, char const* name) {
  Form const form = form_of(data);
  if (is_for_nvidia(ours, form)) {
    if (form == Form::ptx && type == NVJITLINK_INPUT_CUBIN) type = NVJITLINK_INPUT_PTX; // NVRTC's, from us
    auto const result = nvidia<decltype(nvJitLinkAddData)>("nvJitLinkAddData", missing, handle, type,
                                                           data.data(), data.size(), name);
    if (result != NVJITLINK_SUCCESS) return result;
    if (ours.optimises) {
      ours.has_intermediate_code = true;
      return result;
    }
  }
  if (!ours.link.add(data)) say_what_is_not_linked(name);
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult complete(LinkOfPtx& ours, nvJitLinkHandle handle) {
  if (!ours.optimises || ours.has_intermediate_code) {
    auto const result = nvidia<decltype(nvJitLinkComplete)>("nvJitLinkComplete", missing, handle);
    if (result != NVJITLINK_SUCCESS) return result;
  }
  if (ours.has_intermediate_code) {
    std::size_t bytes = 0;
    auto result =
        nvidia<decltype(nvJitLinkGetLinkedPtxSize)>("nvJitLinkGetLinkedPtxSize", missing, handle, &bytes);
    std::vector<char> ptx(bytes);
    if (result == NVJITLINK_SUCCESS)
      result = nvidia<decltype(nvJitLinkGetLinkedPtx)>("nvJitLinkGetLinkedPtx", missing, handle, ptx.data());
    if (result != NVJITLINK_SUCCESS) return result;
    if (!ours.link.add(std::as_bytes(std::span(ptx)))) return missing;
  }
  ours.link.complete();
  return NVJITLINK_SUCCESS;
}

} // namespace

nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle* handle, std::uint32_t count, char const* const* options) {
  std::vector<char const*> given(options, options + (options == nullptr ? 0 : count));
  LinkOptions const wanted(given);
  bool const gives_ptx = wanted.for_machine_code && executes_ptx_only();
  if (gives_ptx && wanted.optimises) given.push_back("-ptx");
  auto const result = nvidia<decltype(nvJitLinkCreate)>(
      "nvJitLinkCreate", missing, handle, static_cast<std::uint32_t>(given.size()), given.data());
  if (result == NVJITLINK_SUCCESS && gives_ptx) {
    std::lock_guard const lock(table_mutex);
    table[*handle] = {.optimises = wanted.optimises, .has_intermediate_code = false, .link = {}};
  }
  return result;
}

nvJitLinkResult nvJitLinkDestroy(nvJitLinkHandle* handle) {
  if (handle != nullptr) {
    std::lock_guard const lock(table_mutex);
    table.erase(*handle);
  }
  return nvidia<decltype(nvJitLinkDestroy)>("nvJitLinkDestroy", missing, handle);
}

nvJitLinkResult nvJitLinkAddData(nvJitLinkHandle handle, nvJitLinkInputType type, void const* data,
                                 std::size_t bytes, char const* name) {
  LinkOfPtx* const ours = find(handle);
  if (ours == nullptr || data == nullptr)
    return nvidia<decltype(nvJitLinkAddData)>("nvJitLinkAddData", missing, handle, type, data, bytes, name);
  return add(*ours, handle, type, {static_cast<std::byte const*>(data), bytes}, name);
}

nvJitLinkResult nvJitLinkAddFile(nvJitLinkHandle handle, nvJitLinkInputType type, char const* path) {
  LinkOfPtx* const ours = find(handle);
  std::vector<std::byte> contents;
  if (ours == nullptr || pegasus::driver::read_file(path, contents) != CUDA_SUCCESS)
    return nvidia<decltype(nvJitLinkAddFile)>("nvJitLinkAddFile", missing, handle, type, path);
  contents.pop_back(); // the NUL behind a text
  return add(*ours, handle, type, contents, path);
}

nvJitLinkResult nvJitLinkComplete(nvJitLinkHandle handle) {
  LinkOfPtx* const ours = find(handle);
  return ours == nullptr ? nvidia<decltype(nvJitLinkComplete)>("nvJitLinkComplete", missing, handle)
                         : complete(*ours, handle);
}

nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle handle, std::size_t* bytes) {
  LinkOfPtx const* const ours = find(handle);
  if (ours == nullptr || bytes == nullptr || ours->link.result().empty())
    return nvidia<decltype(nvJitLinkGetLinkedCubinSize)>("nvJitLinkGetLinkedCubinSize", missing, handle,
                                                         bytes);
  *bytes = ours->link.result().size();
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle handle, void* image) {
  LinkOfPtx const* const ours = find(handle);
  if (ours == nullptr || image == nullptr || ours->link.result().empty())
    return nvidia<decltype(nvJitLinkGetLinkedCubin)>("nvJitLinkGetLinkedCubin", missing, handle, image);
  std::ranges::copy(ours->link.result(), static_cast<std::byte*>(image));
  return NVJITLINK_SUCCESS;
}

// The names with a release that nvJitLink.h calls, for any minor one. PEGASUS_RELEASE: "12", as in the library's name.
#define PEGASUS_RELEASES_OF(name)                                                                            \
  asm(".irp minor,0,1,2,3,4,5,6,7,8,9\n"                                                                     \
      ".globl __nvJitLink" name "_" PEGASUS_RELEASE "_\\minor\n"                                             \
      ".set __nvJitLink" name "_" PEGASUS_RELEASE "_\\minor, nvJitLink" name "\n"                            \
      ".endr\n")
PEGASUS_RELEASES_OF("Create");
PEGASUS_RELEASES_OF("Destroy");
PEGASUS_RELEASES_OF("AddData");
PEGASUS_RELEASES_OF("AddFile");
PEGASUS_RELEASES_OF("Complete");
PEGASUS_RELEASES_OF("GetLinkedCubinSize");
PEGASUS_RELEASES_OF("GetLinkedCubin");
