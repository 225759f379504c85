// SPDX-License-Identifier: Apache-2.0
#include "domA/avcpu/graph.h"

#include "domA/avcpu/call_handler.h"
#include "tests/support/null_device.h"
#include "tests/support/time_slices.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

using namespace pegasus;
using avcpu::CallResult;
using avcpu::KeptRequest;
using device::Status;

namespace {

class TestStream final : public device::Stream {};

// Logs its calls. A launch has as many parts as its grid; its time slice's end interrupts it
// between two parts.
class RecordingContext final : public testing::NullContext {
public:
  std::vector<std::string>* log = nullptr;
  device::Stream* last_stream = nullptr;

  Status create_stream(std::uint32_t, std::int32_t, std::unique_ptr<device::Stream>& stream) override {
    stream = std::make_unique<TestStream>();
    return Status::success;
  }
  Status launch(device::Stream* stream, device::Function&, device::Launch const& launch,
                device::TimeSlice const& slice) override {
    last_stream = stream;
    parts_ = launch.grid[0];
    log->push_back("launch " + std::to_string(launch.parameters.size()) + " " +
                   std::to_string(std::to_integer<int>(
                       launch.parameters.empty() ? std::byte{0} : launch.parameters.back())));
    return resume(slice);
  }
  Status resume(device::TimeSlice const& slice) override {
    while (parts_ > 0) {
      if (slice.over()) return Status::not_ready;
      log->push_back("part");
      --parts_;
    }
    return Status::success;
  }
  Status fill(device::Stream* stream, device::Rect const&, std::uint32_t value, std::uint32_t) override {
    last_stream = stream;
    log->push_back("fill " + std::to_string(value));
    return Status::success;
  }
  Status copy_device(device::Stream*, device::Rect const&, device::Address, std::uint64_t) override {
    log->push_back("copy");
    return Status::success;
  }

private:
  unsigned parts_ = 0;
};

struct Graphs {
  std::vector<std::string> log;
  RecordingContext* context = nullptr;
  avcpu::CallHandler handler{[](void* graphs) -> std::unique_ptr<device::Context> {
                               auto& self = *static_cast<Graphs*>(graphs);
                               auto made = std::make_unique<RecordingContext>();
                               made->log = &self.log;
                               self.context = made.get();
                               return made;
                             },
                             this};
  std::vector<std::byte> arena = std::vector<std::byte>(65536);

  template <class Body>
  CallResult execute(std::uint16_t call, Body const& body, std::size_t data_bytes = 0,
                     device::TimeSlice const& slice = testing::EndlessSlice()) {
    pegasus_request request{};
    request.call = call;
    request.data_bytes = static_cast<std::uint32_t>(data_bytes);
    std::memcpy(request.body, &body, sizeof body);
    return handler.execute(request, std::span(arena).first(data_bytes), slice);
  }
  template <class Body>
  std::uint64_t handle(std::uint16_t call, Body const& body, std::size_t data_bytes = 0) {
    CallResult const result = execute(call, body, data_bytes);
    REQUIRE(result.status == Status::success);
    std::uint64_t handle = 0;
    std::memcpy(&handle, result.body, sizeof handle);
    return handle;
  }
  Status synchronize() {
    return execute(PEGASUS_CALL_CONTEXT_SYNCHRONIZE, pegasus_context_synchronize_request{}).status;
  }
  std::uint64_t module() {
    (void)execute(PEGASUS_CALL_MODULE_BEGIN, pegasus_module_begin_request{4, 1, 0});
    (void)execute(PEGASUS_CALL_MODULE_DATA, pegasus_module_data_request{0}, 4);
    return handle(PEGASUS_CALL_MODULE_LOAD, pegasus_module_load_request{});
  }
  std::uint64_t function(std::uint64_t module) {
    return handle(PEGASUS_CALL_MODULE_FUNCTION, pegasus_module_function_request{module, 1, 0}, 4096);
  }

  std::uint64_t create() { return handle(PEGASUS_CALL_GRAPH_CREATE, pegasus_graph_create_request{}); }
  template <class Request>
  void add(std::uint64_t graph, std::uint32_t call, Request const& request, std::size_t data_bytes = 0,
           std::span<std::byte const> tail = {}) {
    std::array<std::byte, PEGASUS_REQUEST_BODY> body{};
    pegasus_graph_add_request const head{graph, call, 0};
    std::memcpy(body.data(), &head, sizeof head);
    std::memcpy(body.data() + sizeof head, &request, sizeof request);
    std::copy(tail.begin(), tail.end(), body.begin() + sizeof head + sizeof request);
    CHECK_FALSE(execute(PEGASUS_CALL_GRAPH_ADD, body, data_bytes).expected);
  }
  void add_fill(std::uint64_t graph, std::uint32_t value) {
    add(graph, PEGASUS_CALL_FILL, pegasus_fill_request{0, 0, 4, 1, 1, 4, value});
  }
  Status ready(std::uint64_t graph) {
    return execute(PEGASUS_CALL_GRAPH_READY, pegasus_graph_ready_request{graph}).status;
  }
  // Executes the whole launch in one time slice.
  void launch(std::uint64_t graph, std::uint64_t stream = 0) {
    CallResult result = execute(PEGASUS_CALL_GRAPH_LAUNCH, pegasus_graph_launch_request{graph, stream});
    while (result.unfinished)
      result = handler.resume(testing::EndlessSlice());
    CHECK_FALSE(result.expected);
  }
};

pegasus_launch_request launch_of(std::uint64_t function, std::uint16_t parameter_bytes,
                                 std::uint32_t parts = 1) {
  pegasus_launch_request request{};
  request.function = function;
  request.grid[0] = parts;
  request.parameter_bytes = parameter_bytes;
  return request;
}

using Log = std::vector<std::string>;

} // namespace

TEST_CASE("a graph executes what was added, in order, as often as it is launched, on the launch's stream") {
  Graphs g;
  auto const graph = g.create();
  auto const function = g.function(g.module());
  auto const stream = g.handle(PEGASUS_CALL_STREAM_CREATE, pegasus_stream_create_request{});
  g.add_fill(graph, 7);
  std::array<std::byte, 48> inline_parameters{};
  inline_parameters.back() = std::byte{42};
  g.add(graph, PEGASUS_CALL_LAUNCH, launch_of(function, 48), 0, inline_parameters);
  g.add(graph, PEGASUS_CALL_COPY_DEVICE, pegasus_copy_device_request{99, 0, 4, 8, 4, 4, 1});
  REQUIRE(g.ready(graph) == Status::success);
  CHECK(g.log.empty());
  g.launch(graph);
  Log const once{"fill 7", "launch 48 42", "part", "copy"};
  CHECK(g.log == once);
  CHECK(g.context->last_stream == nullptr);
  g.log.clear();
  g.launch(graph, stream);
  CHECK(g.log == once); // including the copy, which had no stream
  CHECK(g.context->last_stream != nullptr);
  CHECK(g.synchronize() == Status::success);
}

TEST_CASE("parameters in the arena are copied when they are added") {
  Graphs g;
  auto const graph = g.create();
  g.arena[999] = std::byte{5};
  g.add(graph, PEGASUS_CALL_LAUNCH, launch_of(g.function(g.module()), 1000), 1000);
  g.arena.assign(g.arena.size(), std::byte{0xff});
  g.launch(graph);
  CHECK(g.log == Log{"launch 1000 5", "part"});
}

TEST_CASE("a launch goes on where its time slice ended: between requests and within one") {
  Graphs g;
  auto const graph = g.create();
  g.add_fill(graph, 1);
  g.add(graph, PEGASUS_CALL_LAUNCH, launch_of(g.function(g.module()), 0, 2));
  g.add_fill(graph, 2);
  CallResult result = g.execute(PEGASUS_CALL_GRAPH_LAUNCH, pegasus_graph_launch_request{graph, 0}, 0,
                                testing::CountedSlice(0));
  CHECK(result.unfinished);
  CHECK(g.log == Log{"fill 1"}); // the aVCPU looks at its gate before the next one
  result = g.handler.resume(testing::CountedSlice(1));
  CHECK(result.unfinished);
  CHECK(g.log == Log{"fill 1", "launch 0 0", "part"});
  result = g.handler.resume(testing::EndlessSlice());
  CHECK(result.unfinished);
  CHECK(g.log == Log{"fill 1", "launch 0 0", "part", "part"});
  result = g.handler.resume(testing::EndlessSlice());
  CHECK_FALSE(result.unfinished);
  CHECK(g.log.back() == "fill 2");
  CHECK(g.synchronize() == Status::success);
}

TEST_CASE("what cannot be kept breaks the graph, and a broken graph cannot be launched") {
  Graphs g;
  auto const graph = g.create();
  std::uint32_t const call = GENERATE(
      0u, std::uint32_t{PEGASUS_CALL_PING}, std::uint32_t{PEGASUS_CALL_COPY_TO_DEVICE},
      std::uint32_t{PEGASUS_CALL_GRAPH_LAUNCH}, std::uint32_t{PEGASUS_CALL_GRAPH_ADD}, 0x10012u, ~0u);
  g.add_fill(graph, 1);
  g.add(graph, call, pegasus_ping_request{});
  g.add_fill(graph, 2);
  CHECK(g.ready(graph) == Status::not_supported);
  CHECK(g.synchronize() == Status::success); // reported only once, by GRAPH_READY
  g.launch(graph);
  CHECK(g.log.empty());
  CHECK(g.synchronize() == Status::not_supported);
}

TEST_CASE("a request of a graph is checked like a plain one, at each launch; the first failure ends it") {
  Graphs g;
  auto const graph = g.create();
  auto const module = g.module();
  g.add_fill(graph, 1);
  g.add(graph, PEGASUS_CALL_LAUNCH, launch_of(g.function(module), 0));
  g.add_fill(graph, 2);
  CHECK(g.execute(PEGASUS_CALL_MODULE_UNLOAD, pegasus_module_unload_request{module}).status ==
        Status::success);
  CHECK(g.ready(graph) == Status::success);
  g.launch(graph);
  CHECK(g.log == Log{"fill 1"});
  CHECK(g.synchronize() == Status::invalid_handle);

  auto const short_one = g.create();
  g.add(short_one, PEGASUS_CALL_LAUNCH, launch_of(g.function(g.module()), 49)); // only 48 fit inline
  g.launch(short_one);
  CHECK(g.synchronize() == Status::invalid_value);
  auto const odd = g.create();
  g.add(odd, PEGASUS_CALL_FILL, pegasus_fill_request{0, 0, 3, 1, 1, 3, 0});
  g.launch(odd);
  CHECK(g.synchronize() == Status::invalid_value);
}

TEST_CASE("nodes of a graph and bytes of all graphs are bounded, and come back") {
  Graphs g;
  auto const full = g.create();
  for (unsigned i = 0; i < PEGASUS_GRAPH_NODES_MAX; ++i)
    g.add_fill(full, i);
  CHECK(g.ready(full) == Status::success);
  g.add_fill(full, 0);
  CHECK(g.ready(full) == Status::out_of_memory);

  auto fill_up = [&] {
    auto const graph = g.create();
    std::size_t added = 0;
    while (g.ready(graph) == Status::success) {
      g.add(graph, PEGASUS_CALL_LAUNCH, launch_of(1, 60000), g.arena.size());
      ++added;
    }
    (void)g.execute(PEGASUS_CALL_GRAPH_DESTROY, pegasus_graph_destroy_request{graph});
    return added;
  };
  std::size_t const beside = fill_up();
  CHECK(beside < PEGASUS_GRAPH_BYTES_MAX / g.arena.size());
  CHECK(fill_up() == beside);
  (void)g.execute(PEGASUS_CALL_GRAPH_DESTROY, pegasus_graph_destroy_request{full});
  std::size_t const alone = fill_up();
  CHECK(alone > beside);
  g.add(g.create(), PEGASUS_CALL_LAUNCH, launch_of(1, 60000), g.arena.size()); // goes with the context
  CHECK(g.execute(PEGASUS_CALL_CONTEXT_RESET, pegasus_context_reset_request{}).status == Status::success);
  CHECK(fill_up() == alone);
}

TEST_CASE("unknown, destroyed and reset graphs") {
  Graphs g;
  auto const destroyed = g.create();
  (void)g.execute(PEGASUS_CALL_GRAPH_DESTROY, pegasus_graph_destroy_request{destroyed});
  auto const reset = g.create();
  CHECK(g.execute(PEGASUS_CALL_CONTEXT_RESET, pegasus_context_reset_request{}).status == Status::success);
  for (std::uint64_t const handle :
       {std::uint64_t{0}, std::uint64_t{77}, destroyed, reset, ~std::uint64_t{0}}) {
    CHECK(g.ready(handle) == Status::invalid_handle);
    g.add_fill(handle, 1);
    CHECK(g.synchronize() == Status::invalid_handle);
    g.launch(handle);
    CHECK(g.synchronize() == Status::invalid_handle);
    (void)g.execute(PEGASUS_CALL_GRAPH_DESTROY, pegasus_graph_destroy_request{handle});
    CHECK(g.synchronize() == Status::invalid_handle);
  }
  auto const graph = g.create();
  g.launch(graph); // an empty graph
  CHECK(g.synchronize() == Status::success);
  g.launch(graph, 1234);
  CHECK(g.synchronize() == Status::invalid_handle);
}
