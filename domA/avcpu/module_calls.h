// SPDX-License-Identifier: Apache-2.0
// Modules, functions, module variables.
#pragma once

#include "domA/avcpu/call.h"
#include "domA/avcpu/objects.h"
#include "frontend/protocol/calls.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pegasus::avcpu {

class ModuleCalls {
public:
  explicit ModuleCalls(Objects& objects) : objects_(objects) {}
  Status on(pegasus_module_begin_request const& request, Data const&, pegasus_module_begin_reply&);
  Status on(pegasus_module_data_request const& request, Data const& data);
  Status on(pegasus_module_load_request const&, Data const&, pegasus_module_load_reply& reply);
  Status on(pegasus_module_unload_request const& request, Data const&, device::Module*,
            pegasus_module_unload_reply&);
  Status on(pegasus_module_function_request const& request, Data const& data, device::Module* module,
            pegasus_module_function_reply& reply);
  Status on(pegasus_module_global_request const& request, Data const& data, device::Module* module,
            pegasus_module_global_reply& reply);
  Status on(pegasus_function_set_attribute_request const& request, Data const&, device::Function* function,
            pegasus_function_set_attribute_reply&);
  void abandon() { image_ = {}; }

private:
  Objects& objects_;
  std::vector<std::byte> image_; // collected by MODULE_DATA
  std::uint64_t image_bytes_ = 0;
  std::uint32_t image_kind_ = 0;
};

} // namespace pegasus::avcpu
