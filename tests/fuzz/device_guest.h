// SPDX-License-Identifier: Apache-2.0
// A guest that the fuzzer controls. It sends requests of every kind. Most use handles and addresses that
// the guest was given before, so that they get far. Some use those of another task or of another kind,
// or arbitrary ones.
#pragma once

#include "tests/fuzz/guest_task.h"
#include "tests/fuzz/input.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace pegasus::fuzz {

// A handle and an address of another task.
struct Foreign {
  std::uint64_t handle = 0;
  std::uint64_t address = 0;
};

class DeviceGuest {
public:
  DeviceGuest(GuestTask& task, Input& input, Foreign const& foreign)
      : task_(task), input_(input), foreign_(foreign) {}

  void step(); // sends one request, or the few that load a module or map memory

private:
  static constexpr std::size_t kept = 8; // of each kind
  static constexpr std::size_t arena_bytes = 64 << 10;
  enum Kind : std::size_t {
    module_,
    function_,
    stream_,
    event_,
    graph_,
    physical_,
    texture_,
    surface_,
    kinds
  };
  struct Known {
    std::uint64_t handle = 0;
    std::vector<pegasus_parameter> parameters; // if it is a function
  };
  struct Piece { // a piece of memory
    std::uint64_t address = 0, bytes = 0;
  };
  struct Made { // a request, and its bytes in the arena
    pegasus_request request{};
    std::vector<std::byte> data;
    std::size_t function = 0; // if it is a launch: the index among the known ones
  };

  void load();
  void place(); // memory, where it can be used
  void send(Made& made);
  void note(Made const& made, avcpu::CallResult const& answer);
  void note_addresses(Made const& made, avcpu::CallResult const& answer);
  void note_array(Made const& made, avcpu::CallResult const& answer);
  void check_fresh(Piece const& piece);

  // Requests: device_guest_requests.cpp
  Made any_request();
  Made typed(std::uint16_t call);
  Made module_call(std::uint16_t call);
  Made memory_call(std::uint16_t call);
  Made mapping_call(std::uint16_t call);
  Made texture_call(std::uint16_t call); // device_guest_textures.cpp
  Made object_call(std::uint16_t call);
  Made launch();
  Made launch_with_attributes();
  Made cluster_occupancy();
  Made tensor_map();
  pegasus_launch_attributes attributes();
  Made fill();
  Made copy_device();
  Made addition();

  template <class Request>
  static Made make(std::uint16_t call, Request const& request, std::size_t data_bytes = 0) {
    Made made;
    made.request.call = call;
    std::memcpy(made.request.body, &request, sizeof request);
    made.data.resize(std::min(data_bytes, arena_bytes));
    return made;
  }
  std::uint64_t handle(Kind kind);
  [[nodiscard]] Known const& one_of(Kind kind, unsigned choice) const;
  std::uint64_t address();
  std::uint64_t reserved_address();
  std::uint64_t number();
  template <class T> T take() { return input_.take<T>(); }

  GuestTask& task_;
  Input& input_;
  Foreign foreign_;
  std::array<std::array<Known, kept>, kinds> known_{};
  std::array<Piece, kept> memory_{};
  std::array<std::size_t, kinds> given_{}; // how many of each kind
  std::size_t pieces_ = 0;
  std::array<Piece, kept> reserved_{};
  std::size_t reservations_ = 0;
  std::array<Piece, kept> mapped_{};
  std::size_t mappings_ = 0;
};

} // namespace pegasus::fuzz
