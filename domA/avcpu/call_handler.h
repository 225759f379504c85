// SPDX-License-Identifier: Apache-2.0
// Executes one checked request on the task's device context. There is one handler per call of
// frontend/protocol/calls.h. The dispatch is generated from that list, which also says what the handles in a
// request name and which replies report the status of posted calls. All guest input is validated here before
// it reaches the device.
#pragma once

#include "domA/avcpu/graph.h"
#include "domA/avcpu/handle_table.h"
#include "domA/avcpu/request_handles.h"
#include "domA/device/device.h"
#include "frontend/protocol/calls.h"
#include "frontend/protocol/channel.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace pegasus::avcpu {

struct CallResult {
  bool expected = false; // the guest waits for a reply
  // a launch was interrupted, or a graph has more requests: call resume() before anything else
  bool unfinished = false;
  Status status = Status::success;
  std::uint32_t flags = 0;
  std::byte body[PEGASUS_REPLY_BODY] = {};
};

class CallHandler {
public:
  // Makes a new context: at the start and for CONTEXT_RESET.
  using ContextFactory = std::unique_ptr<device::Context> (*)(void* argument);
  CallHandler(ContextFactory make_context, void* argument);

  // `data` is the request's arena range; the guest may change it at any time.
  [[nodiscard]] CallResult execute(pegasus_request const& request, std::span<std::byte> data,
                                   device::TimeSlice const& slice);
  [[nodiscard]] CallResult resume(device::TimeSlice const& slice); // after an unfinished result
  // A copy from the device begins when the earlier work of its stream is done: waits for that. Call it before
  // execute() if that is to be metered: a driver that polls uses CPU time while it waits. Returns a result if
  // that work failed; the call is then done.
  [[nodiscard]] std::optional<CallResult> finish_earlier_work(pegasus_request const& request);

  [[nodiscard]] device::Context& context() const { return *context_; }

  struct Holdings { // what the guest has made, and not destroyed
    std::uint64_t memory_bytes;
    std::size_t modules, functions, streams, events, graphs;
    std::size_t graph_bytes;
  };
  [[nodiscard]] Holdings holdings() const;

private:
  struct Data {
    std::span<std::byte> arena;
    std::span<std::byte const> inline_bytes; // the bytes after the request struct in the slot (private copy)
    device::TimeSlice const* slice;
  };
  struct LoadedFunction {
    device::Function* function;
    std::uint64_t module;
  };

  template <class Request, class Reply>
  CallResult run_sync(pegasus_request const&, Data, bool tells_of_posted_calls);
  template <class Request> CallResult run_posted(pegasus_request const&, Data);
  [[nodiscard]] std::uint32_t reply_flags() const;

  // The handlers: on(request, data, the objects that its handles name, reply). Only a stream may be
  // nullptr: the default stream.
#define STREAM(field) , device::Stream*
#define EVENT(field) , device::Event*
#define MODULE(field) , device::Module*
#define FUNCTION(field) , device::Function*
#define GRAPH(field) , Graph*
#define NO_HANDLE
#define PEGASUS_REPLY_SYNC(stem) , pegasus_##stem##_reply&
#define PEGASUS_REPLY_POSTED(stem)
#define PEGASUS_HANDLER(number, NAME, stem, kind, status, handles)                                           \
  Status on(pegasus_##stem##_request const&, Data const& handles PEGASUS_REPLY_##kind(stem));
  PEGASUS_CALLS(PEGASUS_HANDLER)
#undef PEGASUS_HANDLER
#undef PEGASUS_REPLY_POSTED
#undef PEGASUS_REPLY_SYNC
#undef NO_HANDLE
#undef GRAPH
#undef FUNCTION
#undef MODULE
#undef EVENT
#undef STREAM

  // Each returns nullopt if there is no such object. Stream 0 is the default stream, nullptr.
  std::optional<device::Stream*> find(Handle<device::Stream> handle);
  std::optional<device::Event*> find(Handle<device::Event> handle);
  std::optional<device::Module*> find(Handle<device::Module> handle);
  std::optional<device::Function*> find(Handle<device::Function> handle);
  std::optional<Graph*> find(Handle<Graph> handle);

  // Finds what the request's handles name, then calls its handler.
  template <class Request, class... Reply>
  Status resolve_and_run(Request const& request, Data const& data, Reply&... reply) {
    auto const run = [&](auto... found) {
      return (found.has_value() && ...) ? on(request, data, *found..., reply...) : Status::invalid_handle;
    };
    return std::apply([&](auto... handles) { return run(find(handles)...); }, handles_of(request));
  }

  Status launch(pegasus_launch_request const&, device::LaunchAttributes const&, Data const&,
                device::Function&, device::Stream*);
  Status run_next_of_graph(device::TimeSlice const& slice);
  Status after_request_of_graph(Status status);
  Status run_kept(KeptRequest& request, device::TimeSlice const& slice);
  template <class Request> Status run_kept(KeptRequest& request, device::TimeSlice const& slice);
  Status status_of_posted_calls();
  CallResult posted(Status status); // handles the status of a posted call
  void destroy_objects();

  ContextFactory make_context_;
  void* factory_argument_;
  std::unique_ptr<device::Context> context_;
  HandleTable<std::unique_ptr<device::Module>> modules_;
  HandleTable<LoadedFunction> functions_;
  HandleTable<std::unique_ptr<device::Stream>> streams_;
  HandleTable<std::unique_ptr<device::Event>> events_;
  HandleTable<Graph> graphs_;
  std::size_t graph_bytes_ = 0; // of all graphs, as PEGASUS_GRAPH_BYTES_MAX counts them

  // The GRAPH_LAUNCH that is being executed.
  struct GraphRun {
    std::uint64_t graph = 0; // 0: none
    std::uint64_t stream = 0;
    std::size_t next = 0;
    bool in_launch = false; // the request before `next` was interrupted
  };
  GraphRun graph_run_;

  std::vector<std::byte> image_; // collected by MODULE_DATA
  std::uint64_t image_bytes_ = 0;
  std::uint32_t image_kind_ = 0;

  Status deferred_ = Status::success; // first failure of a posted call, for the next synchronizing one
  std::vector<std::byte> staging_;
};

} // namespace pegasus::avcpu
