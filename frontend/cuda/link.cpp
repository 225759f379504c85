// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/link.h"

#include "frontend/cuda/context.h"
#include "frontend/cuda/image.h"

#include <cstring>

namespace pegasus::driver {
namespace {

CUresult create(unsigned count, CUjit_option* options, void** values, CUlinkState* handle) {
  return with_context([&](Channel&, Context&) {
    if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto link = std::make_unique<Link>();
    link->options = JitOptions(count, options, values);
    if (!link->options.valid) return CUDA_ERROR_INVALID_VALUE;
    link->handle = insert<Link>(link.get());
    if (link->handle == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    *handle = link.release()->handle;
    return CUDA_SUCCESS;
  });
}

// Only inputs that contain PTX or device code directly can be linked; host objects and archives cannot.
bool linkable(CUjitInputType type) {
  return type == CU_JIT_INPUT_PTX || type == CU_JIT_INPUT_CUBIN || type == CU_JIT_INPUT_FATBINARY;
}

CUresult add_part(Link& link, CUjitInputType type, void const* data, std::size_t bytes) {
  if (type < 0 || type >= CU_JIT_NUM_INPUT_TYPES || data == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!linkable(type)) {
    static bool said = false;
    say_once(
        said,
        "cuLink: only PTX, cubins and fatbins can be linked here, not host objects, libraries or NVVM IR");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  Image image;
  if (CUresult const status = recognise(data, image, bytes); status != CUDA_SUCCESS)
    return type == CU_JIT_INPUT_PTX ? CUDA_ERROR_INVALID_PTX : status;
  if (image.kind != 1) return CUDA_ERROR_INVALID_IMAGE;
  std::lock_guard lock(link.mutex);
  if (!link.complete.empty())
    return CUDA_ERROR_INVALID_HANDLE; // "after completion no more data may be added"
  if (link.parts.size() == PEGASUS_IMAGE_SET_PARTS_MAX ||
      image.bytes.size() > PEGASUS_MODULE_BYTES_MAX - link.bytes)
    return CUDA_ERROR_OUT_OF_MEMORY;
  link.parts.emplace_back(image.bytes.begin(), image.bytes.end());
  link.bytes += image.bytes.size();
  return CUDA_SUCCESS;
}

template <class Body> CUresult with_link(CUlinkState handle, Body body) {
  return with_driver([&](Channel&) {
    Link* const link = find<Link>(handle);
    return link == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(*link);
  });
}

CUresult complete(Link& link, void** image, std::size_t* bytes) {
  if (image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard lock(link.mutex);
  if (link.parts.empty()) return CUDA_ERROR_INVALID_IMAGE;
  if (link.complete.empty()) {
    std::vector<std::span<std::byte const>> const parts(link.parts.begin(), link.parts.end());
    link.complete = make_image_set(parts);
  }
  *image = link.complete.data();
  if (bytes != nullptr) *bytes = link.complete.size();
  return CUDA_SUCCESS;
}

} // namespace
} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuLinkCreate_v2(unsigned count, CUjit_option* options, void** values, CUlinkState* state) {
  return create(count, options, values, state);
}
CUresult cuLinkCreate(unsigned count, CUjit_option* options, void** values, CUlinkState* state) {
  return create(count, options, values, state);
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, std::size_t bytes, char const*,
                          unsigned, CUjit_option*, void**) {
  return with_link(state, [&](Link& link) {
    CUresult const status = add_part(link, type, data, bytes);
    if (status != CUDA_SUCCESS) link.options.report(status, "take this input of the link");
    return status;
  });
}
CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, std::size_t bytes,
                       char const* name, unsigned count, CUjit_option* options, void** values) {
  return cuLinkAddData_v2(state, type, data, bytes, name, count, options, values);
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, char const* path, unsigned, CUjit_option*,
                          void**) {
  return with_link(state, [&](Link& link) {
    std::vector<std::byte> contents;
    CUresult status = read_file(path, contents);
    if (status == CUDA_SUCCESS) status = add_part(link, type, contents.data(), contents.size());
    if (status != CUDA_SUCCESS) link.options.report(status, "take this input of the link");
    return status;
  });
}
CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, char const* path, unsigned count,
                       CUjit_option* options, void** values) {
  return cuLinkAddFile_v2(state, type, path, count, options, values);
}

CUresult cuLinkComplete(CUlinkState state, void** image, std::size_t* bytes) {
  return with_link(state, [&](Link& link) {
    CUresult const status = complete(link, image, bytes);
    link.options.report(status, "complete this link");
    return status;
  });
}

CUresult cuLinkDestroy(CUlinkState state) {
  return with_driver([&](Channel&) {
    std::unique_ptr<Link> const link(erase<Link>(state));
    return link ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}
