// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/module.h"

#include "frontend/cuda/function_attributes.h"
#include "frontend/cuda/memory_table.h"

#include <algorithm>
#include <cstring>

namespace pegasus::driver {
namespace {

frontend::Bytes name_bytes(std::string_view name) {
  return std::as_bytes(std::span(name.data(), name.size()));
}

// A launch relies on this when it gathers the parameters: there are at most as many as the program's array
// can have, without overlap, within their buffer.
bool parameters_valid(pegasus_module_function_reply const& info,
                      std::vector<pegasus_parameter> const& parameters) {
  if (info.parameter_bytes > PEGASUS_PARAMETER_BYTES_MAX || parameters.size() > PEGASUS_PARAMETERS_MAX)
    return false;
  std::uint64_t end = 0;
  for (pegasus_parameter const& p : parameters) {
    if (p.offset < end) return false;
    end = std::uint64_t{p.offset} + p.bytes;
  }
  return end <= info.parameter_bytes;
}

// Asks once with room for the parameters of nearly every kernel, and again with room for any number.
CUresult fetch(Channel& channel, Module const& module, Function& function) {
  std::size_t room = 64;
  pegasus_module_function_reply reply{};
  std::vector<pegasus_parameter> parameters;
  for (int attempt = 0; attempt < 2; ++attempt) {
    room = std::min(room, channel.max_data_bytes() / sizeof(pegasus_parameter));
    parameters.assign(room, {});
    pegasus_module_function_request const request{module.remote,
                                                  static_cast<std::uint32_t>(function.name.size()), 0};
    auto const answer =
        ask(channel, request, name_bytes(function.name), std::as_writable_bytes(std::span(parameters)));
    if (answer.status != CUDA_SUCCESS) return answer.status;
    reply = answer.reply;
    parameters.resize(std::min<std::size_t>(reply.parameters_written, room));
    if (reply.parameters_written == reply.parameter_count) break;
    room = reply.parameter_count;
  }
  if (parameters.size() != reply.parameter_count) return CUDA_ERROR_NOT_SUPPORTED;
  if (!parameters_valid(reply, parameters)) return CUDA_ERROR_INVALID_IMAGE;
  function.remote = reply.function;
  function.info = reply;
  function.parameters = std::move(parameters);
  return CUDA_SUCCESS;
}

bool name_valid(char const* name) {
  std::size_t const bytes = strnlen(name, PEGASUS_SYMBOL_BYTES_MAX + 1);
  return bytes > 0 && bytes <= PEGASUS_SYMBOL_BYTES_MAX;
}

} // namespace

CUresult load(Channel& channel, Context* context, Image image, std::unique_ptr<Module>& module) {
  auto loaded = std::make_unique<Module>();
  loaded->context = context;
  loaded->epoch = device_epoch();
  loaded->entries_known = list_entries(image, loaded->entries);
  CUresult const status = result(channel.load_module(image.bytes, image.kind, loaded->remote));
  if (status != CUDA_SUCCESS) return status;
  if (context == nullptr) loaded->image = std::move(image);
  module = std::move(loaded);
  return CUDA_SUCCESS;
}

CUresult publish(std::unique_ptr<Module> module, CUmodule* handle) {
  module->handle = insert<Module>(module.get());
  if (module->handle == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  *handle = module.release()->handle;
  return CUDA_SUCCESS;
}

void destroy(Channel& channel, Module& module) {
  if (module.handle != nullptr && erase<Module>(module.handle) == nullptr) return;
  std::unique_ptr<Module> const mine(&module);
  for (auto const& [name, function] : module.functions) {
    handles().erase(function->handle.load(), Kind::function);
    handles().erase(function->kernel.load(), Kind::kernel);
  }
  while (device_memory().take_any([&](Allocation const& a) { return a.module == &module; }))
    ;
  if (module.epoch != device_epoch()) return;
  (void)ask(channel, pegasus_module_unload_request{module.remote});
}

Function* find_function(Channel& channel, Module& module, char const* name, CUresult& status) {
  status = name == nullptr    ? CUDA_ERROR_INVALID_VALUE
           : name_valid(name) ? refresh(channel, module)
                              : CUDA_ERROR_NOT_FOUND;
  if (status != CUDA_SUCCESS) return nullptr;
  std::lock_guard lock(module.mutex);
  if (auto const cached = module.functions.find(name); cached != module.functions.end())
    return cached->second.get();
  auto function = std::make_unique<Function>();
  function->module = &module;
  function->name = name;
  status = fetch(channel, module, *function);
  if (status != CUDA_SUCCESS) return nullptr;
  function->dynamic_shared_limit = static_cast<int>(function->info.max_dynamic_shared_bytes);
  std::ranges::copy(function->info.required_cluster, function->required_cluster.begin());
  return module.functions.emplace(name, std::move(function)).first->second.get();
}

CUresult find_variable(Channel& channel, Module& module, char const* name, CUdeviceptr* address,
                       std::size_t* bytes) {
  if (name == nullptr || (address == nullptr && bytes == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  if (!name_valid(name)) return CUDA_ERROR_NOT_FOUND;
  if (CUresult const status = refresh(channel, module); status != CUDA_SUCCESS) return status;
  std::string_view const text = name;
  pegasus_module_global_request const request{module.remote, static_cast<std::uint32_t>(text.size()), 0};
  auto const [status, reply] = ask(channel, request, name_bytes(text));
  if (status != CUDA_SUCCESS) return status;
  if (!device_memory().insert({.base = reply.address,
                               .bytes = reply.bytes,
                               .origin = Allocation::Origin::variable,
                               .context = module.context,
                               .module = &module,
                               .id = next_id(),
                               .shared = in_host_window(channel, reply.address, reply.bytes)})) {
    auto const allocation = device_memory().find(reply.address); // an earlier look-up
    if (!allocation || allocation->module != &module || allocation->base != reply.address ||
        allocation->bytes != reply.bytes)
      return CUDA_ERROR_UNKNOWN;
  }
  if (address != nullptr) *address = reply.address;
  if (bytes != nullptr) *bytes = reply.bytes;
  return CUDA_SUCCESS;
}

CUresult refresh(Channel& channel, Module& module) {
  if (module.epoch.load(std::memory_order_acquire) == device_epoch()) return CUDA_SUCCESS;
  std::lock_guard lock(module.mutex);
  std::uint64_t const epoch = device_epoch();
  if (module.epoch.load() == epoch) return CUDA_SUCCESS;
  CUresult status = result(channel.load_module(module.image.bytes, module.image.kind, module.remote));
  for (auto const& [name, function] : module.functions) {
    if (status == CUDA_SUCCESS) status = fetch(channel, module, *function);
    if (status == CUDA_SUCCESS) status = restore_attributes(channel, *function);
  }
  if (status == CUDA_SUCCESS) module.epoch.store(epoch, std::memory_order_release);
  return status;
}

CUfunction function_handle(Function& function) {
  CUfunction handle = function.handle.load();
  if (handle != nullptr) return handle;
  auto* const inserted = static_cast<CUfunction>(handles().insert(Kind::function, &function));
  if (function.handle.compare_exchange_strong(handle, inserted)) return inserted;
  handles().erase(inserted, Kind::function); // another thread was first
  return handle;
}

CUkernel kernel_handle(Function& function) {
  CUkernel handle = function.kernel.load();
  if (handle != nullptr) return handle;
  auto* const inserted = static_cast<CUkernel>(handles().insert(Kind::kernel, &function));
  if (function.kernel.compare_exchange_strong(handle, inserted)) return inserted;
  handles().erase(inserted, Kind::kernel);
  return handle;
}

} // namespace pegasus::driver
