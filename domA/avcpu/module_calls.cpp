// SPDX-License-Identifier: Apache-2.0
#include "domA/avcpu/module_calls.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace pegasus::avcpu {
namespace {

// A private copy of a symbol's name; empty if we do not accept the name.
std::string copy_symbol(std::span<std::byte> arena, std::uint32_t name_bytes) {
  if (name_bytes > PEGASUS_SYMBOL_BYTES_MAX || name_bytes > arena.size()) return {};
  return {reinterpret_cast<char const*>(arena.data()), name_bytes};
}

} // namespace

Status ModuleCalls::on(pegasus_module_begin_request const& request, Data const&,
                       pegasus_module_begin_reply&) {
  if (request.image_bytes == 0 || request.image_bytes > PEGASUS_MODULE_BYTES_MAX)
    return Status::invalid_image;
  image_ = {};
  image_bytes_ = request.image_bytes;
  image_kind_ = request.image_kind;
  return Status::success;
}

// Appends only: memory grows with the bytes that were sent, not with the announced size.
Status ModuleCalls::on(pegasus_module_data_request const& request, Data const& data) {
  if (request.offset != image_.size() || data.arena.size() > image_bytes_ - image_.size())
    return Status::invalid_value;
  image_.insert(image_.end(), data.arena.begin(), data.arena.end());
  return Status::success;
}

Status ModuleCalls::on(pegasus_module_load_request const&, Data const&, pegasus_module_load_reply& reply) {
  std::vector<std::byte> const image = std::exchange(image_, {});
  if (image.empty() || image.size() != image_bytes_) return Status::invalid_image;
  std::unique_ptr<device::Module> module;
  std::string log; // unused: the context reports it as part of the program's output
  Status const status = objects_.context().load_module(image, image_kind_, module, log);
  if (status != Status::success) return status;
  reply.module = objects_.insert<device::Module>(std::move(module));
  return reply.module != 0 ? Status::success : Status::out_of_memory;
}

Status ModuleCalls::on(pegasus_module_unload_request const& request, Data const&, device::Module*,
                       pegasus_module_unload_reply&) {
  objects_.table<device::Function>().erase_if(
      [&](LoadedFunction const& loaded) { return loaded.module == request.module; });
  objects_.table<device::Module>().erase(request.module);
  return Status::success;
}

Status ModuleCalls::on(pegasus_module_function_request const& request, Data const& data,
                       device::Module* module, pegasus_module_function_reply& reply) {
  std::string const name = copy_symbol(data.arena, request.name_bytes);
  device::Function* const function = name.empty() ? nullptr : module->function(name);
  if (function == nullptr) return Status::not_found;
  reply.function = objects_.insert<device::Function>({function, request.module});
  if (reply.function == 0) return Status::out_of_memory;
  device::FunctionInfo const& info = function->info();
  reply.parameter_bytes = info.parameter_bytes;
  reply.parameter_count =
      static_cast<std::uint16_t>(std::min<std::size_t>(info.parameters.size(), PEGASUS_PARAMETERS_MAX));
  reply.max_threads_per_block = info.max_threads_per_block;
  reply.static_shared_bytes = info.static_shared_bytes;
  reply.const_bytes = info.const_bytes;
  reply.local_bytes = info.local_bytes;
  reply.registers = info.registers;
  reply.max_dynamic_shared_bytes = info.max_dynamic_shared_bytes;
  reply.ptx_version = info.ptx_version;
  reply.binary_version = info.binary_version;
  std::ranges::copy(info.required_cluster, reply.required_cluster);
  reply.cluster_must_be_set = info.cluster_must_be_set ? 1 : 0;
  if (data.arena.size() / sizeof(pegasus_parameter) < reply.parameter_count) return Status::success;
  for (std::size_t i = 0; i < reply.parameter_count; ++i) {
    pegasus_parameter const parameter{info.parameters[i].offset, info.parameters[i].bytes};
    std::memcpy(data.arena.data() + i * sizeof parameter, &parameter, sizeof parameter);
  }
  reply.parameters_written = reply.parameter_count;
  return Status::success;
}

Status ModuleCalls::on(pegasus_module_global_request const& request, Data const& data, device::Module* module,
                       pegasus_module_global_reply& reply) {
  std::string const name = copy_symbol(data.arena, request.name_bytes);
  device::Range const range = name.empty() ? device::Range{} : module->global(name);
  if (range.bytes == 0) return Status::not_found;
  reply = {range.base, range.bytes};
  return Status::success;
}

Status ModuleCalls::on(pegasus_function_set_attribute_request const& request, Data const&,
                       device::Function* function, pegasus_function_set_attribute_reply&) {
  return function->set_attribute(request.attribute, request.value);
}

} // namespace pegasus::avcpu
