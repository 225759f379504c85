// SPDX-License-Identifier: Apache-2.0
// A second service, made of what a new one consists of: a list of calls with their structs, a class with their
// handlers, and its place in a list of services. The first service's files are as they are.
#include "domA/avcpu/service.h"

#include "domA/avcpu/call_handler.h"
#include "tests/support/null_device.h"
#include "tests/support/time_slices.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <new>
#include <vector>

// The service's header.
/*     number, NAME, stem of the structs, kind, status, handles */
#define PEGASUS_TALLY_CALLS(CALL)                                                                            \
  CALL(256, TALLY_ADD, tally_add, POSTED, LATER, HANDLE(STREAM, stream))                                     \
  CALL(257, TALLY_SUM, tally_sum, SYNC, ALL, HANDLE(MODULE, module))

struct pegasus_tally_add_request {
  std::uint64_t stream;
  std::uint64_t address;
  std::uint64_t number;
};
struct pegasus_tally_sum_request {
  std::uint64_t module;
};
struct pegasus_tally_sum_reply {
  std::uint64_t sum;
};

namespace pegasus::avcpu {

#define PEGASUS_SERVICE_CALLS PEGASUS_TALLY_CALLS
#include "domA/avcpu/request_handles.inc"

// Adds up numbers, at addresses of the device's memory.
class TallyService final : public Service<TallyService> {
public:
  static constexpr unsigned number = 1;
  static constexpr std::uint64_t waits = 1000, exhausts = 1001; // numbers

  explicit TallyService(Objects& objects) : Service(objects), objects_(objects) {
    objects.on_reset([this] { sum_ = 0; });
  }
  static constexpr HostWork host_work(std::uint16_t call) {
    return call == 257 ? HostWork::brief : HostWork::none;
  }
  CallResult execute(pegasus_request const& request, Data const& data) {
    switch (request.call) {
      PEGASUS_TALLY_CALLS(PEGASUS_EXECUTE)
    default:
      return unknown_call();
    }
  }
  CallResult resume(device::TimeSlice const& slice) {
    sum_ += waits;
    return Service::resume(slice);
  }
  void abandon() { sum_ = 0; }

  Status on(pegasus_tally_add_request const& request, Data const&, device::Stream* stream) {
    if (request.number == exhausts) throw std::bad_alloc();
    device::Range range;
    if (Status const status = objects_.context().memory_range(request.address, range);
        status != Status::success)
      return status;
    streams.push_back(stream);
    if (request.number == waits) return Status::not_ready;
    sum_ += request.number;
    return Status::success;
  }
  Status on(pegasus_tally_sum_request const&, Data const&, device::Module* module,
            pegasus_tally_sum_reply& reply) {
    modules.push_back(module);
    reply.sum = sum_;
    return Status::success;
  }

  static inline std::vector<device::Stream*> streams;
  static inline std::vector<device::Module*> modules;

private:
  Objects& objects_;
  std::uint64_t sum_ = 0;
};

} // namespace pegasus::avcpu

using namespace pegasus;
using avcpu::CallResult;
using avcpu::TallyService;
using device::Status;

namespace {

// Memory at addresses below 4096.
class TallyContext final : public testing::NullContext {
public:
  Status create_stream(std::uint32_t, std::int32_t, std::unique_ptr<device::Stream>& stream) override {
    stream = std::make_unique<device::Stream>();
    return Status::success;
  }
  Status memory_range(device::Address address, device::Range& range) override {
    range = {0, 4096};
    return address < 4096 ? Status::success : Status::invalid_value;
  }
};

struct TwoServices {
  TwoServices() {
    TallyService::streams.clear();
    TallyService::modules.clear();
  }
  avcpu::ServicesOf<avcpu::CudaService, TallyService> handler{
      [](void*) -> std::unique_ptr<device::Context> { return std::make_unique<TallyContext>(); }, nullptr};
  std::vector<std::byte> arena = std::vector<std::byte>(8);

  template <class Body> CallResult execute(std::uint16_t call, Body const& body, std::size_t data_bytes = 0) {
    pegasus_request request{};
    request.call = call;
    std::memcpy(request.body, &body, sizeof body);
    return handler.execute(request, std::span(arena).first(data_bytes), testing::EndlessSlice());
  }
  template <class Body> std::uint64_t first_word(std::uint16_t call, Body const& body) {
    CallResult const result = execute(call, body);
    CHECK((result.expected && result.status == Status::success));
    std::uint64_t word;
    std::memcpy(&word, result.body, sizeof word);
    return word;
  }
  std::uint64_t stream() { return first_word(PEGASUS_CALL_STREAM_CREATE, pegasus_stream_create_request{}); }
  std::uint64_t module() {
    CHECK(execute(PEGASUS_CALL_MODULE_BEGIN, pegasus_module_begin_request{4, 1, 0}).status ==
          Status::success);
    (void)execute(PEGASUS_CALL_MODULE_DATA, pegasus_module_data_request{0}, 4);
    return first_word(PEGASUS_CALL_MODULE_LOAD, pegasus_module_load_request{});
  }
  CallResult add(std::uint64_t number, std::uint64_t stream_ = 0, std::uint64_t address = 0) {
    return execute(256, pegasus_tally_add_request{stream_, address, number});
  }
  Status synchronize() {
    return execute(PEGASUS_CALL_CONTEXT_SYNCHRONIZE, pegasus_context_synchronize_request{}).status;
  }
};

} // namespace

TEST_CASE("a second service finds the objects that the first one made") {
  TwoServices two;
  auto const stream = two.stream();
  auto const module = two.module();
  CHECK_FALSE(two.add(3, stream).expected);
  CHECK_FALSE(two.add(4).expected);
  CHECK(two.first_word(257, pegasus_tally_sum_request{module}) == 7);
  REQUIRE((TallyService::streams.size() == 2 && TallyService::modules.size() == 1));
  CHECK((TallyService::streams[0] != nullptr && TallyService::streams[1] == nullptr));
  CHECK(TallyService::modules[0] != nullptr);
  CHECK(two.synchronize() == Status::success);
}

TEST_CASE("a handle of another kind, and one that was destroyed, reach no handler of it") {
  TwoServices two;
  auto const stream = two.stream();
  (void)two.execute(PEGASUS_CALL_STREAM_DESTROY, pegasus_stream_destroy_request{stream});
  (void)two.add(3, stream);
  CHECK(TallyService::streams.empty());
  CHECK(two.execute(257, pegasus_tally_sum_request{two.stream()}).status == Status::invalid_handle);
  CHECK(two.execute(257, pegasus_tally_sum_request{0}).status == Status::invalid_handle);
  CHECK(TallyService::modules.empty());
  CHECK(two.synchronize() == Status::invalid_handle); // that of the posted call
}

TEST_CASE("what fails in one service is told by the next synchronizing call of any") {
  TwoServices two;
  auto const module = two.module();
  (void)two.add(3, 0, 4096); // not the device's memory
  CHECK(two.execute(PEGASUS_CALL_PING, pegasus_ping_request{}).status == Status::success);
  CHECK(two.synchronize() == Status::invalid_value);
  CHECK(two.synchronize() == Status::success);
  (void)two.execute(PEGASUS_CALL_EVENT_DESTROY, pegasus_event_destroy_request{77});
  CHECK(two.execute(257, pegasus_tally_sum_request{module}).status == Status::invalid_handle);
  CHECK(two.execute(257, pegasus_tally_sum_request{module}).status == Status::success);
}

TEST_CASE("an unfinished call is resumed by its service") {
  TwoServices two;
  auto const module = two.module();
  CHECK(two.add(TallyService::waits).unfinished);
  CallResult const resumed = two.handler.resume(testing::EndlessSlice());
  CHECK_FALSE((resumed.unfinished || resumed.expected));
  CHECK(two.first_word(257, pegasus_tally_sum_request{module}) == TallyService::waits);
}

TEST_CASE("a service without memory gives up what it has collected; a reset is told to it") {
  TwoServices two;
  auto const module = two.module();
  (void)two.add(3);
  CHECK_FALSE(two.add(TallyService::exhausts).expected);
  CHECK(two.synchronize() == Status::out_of_memory);
  CHECK(two.first_word(257, pegasus_tally_sum_request{module}) == 0);
  (void)two.add(5);
  CHECK(two.execute(PEGASUS_CALL_CONTEXT_RESET, pegasus_context_reset_request{}).status == Status::success);
  CHECK(two.execute(257, pegasus_tally_sum_request{module}).status == Status::invalid_handle);
  CHECK(two.first_word(257, pegasus_tally_sum_request{two.module()}) == 0);
}

TEST_CASE("each service says which of its calls need no device") {
  using Handler = decltype(TwoServices::handler);
  CHECK(Handler::host_work(PEGASUS_CALL_MODULE_LOAD) == avcpu::HostWork::takes_long);
  CHECK(Handler::host_work(PEGASUS_CALL_LAUNCH) == avcpu::HostWork::none);
  CHECK(Handler::host_work(256) == avcpu::HostWork::none);
  CHECK(Handler::host_work(257) == avcpu::HostWork::brief);
  CHECK(Handler::host_work(513) == avcpu::HostWork::none); // of no service
}

TEST_CASE("numbers that no service has are answered") {
  TwoServices two;
  for (std::uint16_t const call : std::initializer_list<std::uint16_t>{0, 41, 255, 258, 511, 512, 0xffff}) {
    CallResult const result = two.execute(call, pegasus_ping_request{});
    INFO(call);
    CHECK((result.expected && result.status == Status::not_supported));
  }
}
