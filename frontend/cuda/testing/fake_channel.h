// SPDX-License-Identifier: Apache-2.0
// A channel without a worker, for tests of the driver library alone: device memory is host memory, launches
// are recorded, a module is the image that was sent. It replaces the process's channel (Channel::get).
#pragma once

#include "frontend/channel/channel.h"
#include "frontend/cuda/cuda_api.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pegasus::driver::testing {

struct RecordedLaunch {
  pegasus_launch_request request{};
  std::vector<std::byte> parameters;
  pegasus_launch_attributes attributes{};
};

// A request stored by GRAPH_ADD.
struct KeptCall {
  std::uint16_t call;
  std::vector<std::byte> request, tail;
};

class FakeChannel final : public frontend::Channel {
public:
  FakeChannel();

  // The test reads and sets these. Kernels: "take_int_pointer" (u32 at 0, u64 at 8; 16 bytes), "bounded" (at
  // most 64 threads), "empty", "big" (4096 bytes); with a lying worker's parameters: "too_many" and
  // "overlapping". The variable "counter" has 16 bytes.
  std::vector<RecordedLaunch> launches;
  std::vector<std::uint16_t> posts;                      // numbers of the posted calls
  std::map<std::uint64_t, std::vector<KeptCall>> graphs; // a launch executes the stored calls
  int graph_status = 0;                                  // of GRAPH_READY
  std::vector<std::byte> last_image;
  std::uint32_t last_image_kind = 0;
  unsigned modules_loaded = 0, modules_unloaded = 0, streams = 0, events = 0, resets = 0,
           synchronizations = 0;
  std::map<std::uint64_t, std::vector<std::byte>> memory;
  std::size_t most_allocations = SIZE_MAX;                  // that there are in it
  std::map<std::uint64_t, std::vector<std::byte>> physical; // by handle, until it is released
  int next_status = 0;                                      // of the next synchronizing call
  int load_status = 0;                                      // of module loads
  // Address of the next allocation or reservation, even if in use; 0: automatic.
  std::uint64_t next_allocation = 0;
  std::vector<pegasus_function_set_attribute_request> function_attributes; // that were set
  std::vector<pegasus_cluster_occupancy_request> cluster_questions;        // answered with 16
  std::vector<pegasus_tensor_map> tensor_maps;                             // descriptors of 0x7e come back
  std::vector<pegasus_array_shape> arrays;                                 // that were created
  std::vector<pegasus_texture_create_request> textures;                    // the same
  std::vector<std::uint64_t> ended_textures;                               // and surfaces
  std::uint8_t required_cluster = 0;                                       // of kernels, in x
  std::uint64_t host_window = 0;                                           // bytes
  bool available = true; // false: Channel::get fails with CUDA_ERROR_NO_DEVICE

  // Has a host window from now on. What is allocated there is this process's memory.
  void share_memory();
  std::uint64_t host_window_bytes() const override { return host_window; }
  pegasus_device_profile const& profile() const override { return profile_; }
  void set_attribute(CUdevice_attribute number, std::int32_t value) { profile_.attribute[number] = value; }
  int write_device(std::uint64_t stream, frontend::DeviceRows target, std::byte const* source,
                   std::uint64_t source_pitch, std::uint64_t row_bytes, std::uint64_t rows) override;
  int read_device(std::uint64_t stream, std::byte* target, std::uint64_t target_pitch,
                  frontend::DeviceRows source, std::uint64_t row_bytes, std::uint64_t rows) override;
  int load_module(frontend::Bytes image, std::uint32_t image_kind, std::uint64_t& module) override;
  std::size_t max_data_bytes() const override { return 65536; }

  std::byte* at(std::uint64_t address, std::uint64_t bytes); // throws if it is not all in one allocation

protected:
  int call_bytes(std::uint16_t call, frontend::Bytes request, frontend::WritableBytes reply,
                 frontend::Bytes in, frontend::WritableBytes out) override;
  int post_bytes(std::uint16_t call, frontend::Bytes request, frontend::Bytes tail) override;

private:
  void execute(std::uint16_t call, frontend::Bytes request, frontend::Bytes tail);
  int function(frontend::Bytes in, std::uint32_t name_bytes, pegasus_module_function_reply& reply,
               frontend::WritableBytes out);
  int variable(frontend::Bytes in, frontend::WritableBytes reply);

  // In fake_memory.cpp. What is not a call of memory goes to call_texture().
  int call_memory(std::uint16_t call, frontend::Bytes request, frontend::WritableBytes reply);
  int allocate(frontend::Bytes request, frontend::WritableBytes reply);
  int reserve_addresses(frontend::Bytes request, frontend::WritableBytes reply);

  // In fake_textures.cpp. Any other call has no reply, and next_status.
  int call_texture(std::uint16_t call, frontend::Bytes request, frontend::WritableBytes reply);
  std::uint64_t make_array(pegasus_array_shape const& shape);

  pegasus_device_profile profile_{};
  std::uint64_t next_address_ = 0x700000000000;
  std::map<std::uint64_t, std::uint64_t> host_memory_; // address -> bytes
  std::uint64_t next_host_address_ = PEGASUS_HOST_WINDOW;
  std::uint64_t next_handle_ = 1;
};

FakeChannel& fake();

} // namespace pegasus::driver::testing
