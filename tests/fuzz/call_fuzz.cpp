// SPDX-License-Identifier: Apache-2.0
// Executes any sequence of requests on a device that enforces its contract. Input, per request: 8 bits of
// choices, the call number (8 bits), the number of bulk bytes (16 bits), the length of the body (8 bits), the
// body, the bulk bytes.
#include "domA/avcpu/call_handler.h"

#include "tests/fuzz/input.h"
#include "tests/fuzz/strict_device.h"
#include "tests/support/time_slices.h"

namespace {

using namespace pegasus;

// Choices of a request.
enum : unsigned {
  use_last_handle = 1,   // the body starts with the handle that was returned last: few inputs guess one
  use_last_handle_2 = 2, // and so does its second word
  change_data = 4,       // the guest changes the bulk bytes while the device works
  unlisted_call = 8,     // the call number has a high byte
  slice_ends = 16,       // a launch is interrupted
};

constexpr unsigned max_requests = 256;

// What the guest does while the device works.
struct Guest {
  std::span<std::byte> data;
  bool hostile = false;
  void act() const {
    if (hostile) std::fill(data.begin(), data.end(), std::byte{0xff});
  }
};

std::unique_ptr<device::Context> make_context(void* argument) {
  return std::make_unique<fuzz::StrictContext>([guest = static_cast<Guest*>(argument)] { guest->act(); });
}

class Session {
public:
  explicit Session(fuzz::Input input) : input_(input) {}

  void run() {
    for (unsigned i = 0; i < max_requests && !input_.empty(); ++i)
      one_request();
  }

private:
  void one_request() {
    auto const choices = input_.take<std::uint8_t>();
    pegasus_request request{};
    request.call = input_.take<std::uint8_t>();
    if ((choices & unlisted_call) != 0) request.call = static_cast<std::uint16_t>(request.call | 0x100);
    auto const data_bytes = input_.take<std::uint16_t>();
    auto const body =
        input_.take_bytes(std::min<std::size_t>(input_.take<std::uint8_t>(), sizeof request.body));
    if (!body.empty()) std::memcpy(request.body, body.data(), body.size());
    if ((choices & use_last_handle) != 0) std::memcpy(request.body, &last_handle_, sizeof last_handle_);
    if ((choices & use_last_handle_2) != 0) std::memcpy(request.body + 8, &last_handle_, sizeof last_handle_);

    // Exactly as long as the request says: the sanitizer reports an access one byte beyond it. There is one
    // byte more in front, so that an empty range has an address too.
    std::vector<std::byte> bulk(std::size_t{data_bytes} + 1);
    std::span<std::byte> const data = std::span(bulk).subspan(1);
    auto const sent = input_.take_bytes(data_bytes);
    std::copy(sent.begin(), sent.end(), data.begin());
    request.data_bytes = data_bytes;
    guest_ = {data, (choices & change_data) != 0};

    testing::CountedSlice const ending((choices & slice_ends) != 0 ? 0 : 1);
    avcpu::CallResult answer = handler_.execute(request, data, ending);
    // At most one part for each request that a graph may have by now, and one for the interrupted launch.
    for (unsigned part = 0; answer.unfinished; ++part) {
      fuzz::require(part <= max_requests);
      answer = handler_.resume(testing::EndlessSlice());
    }
    if (answer.expected && answer.status == device::Status::success) note_handle(request.call, answer);
    guest_ = {};
  }

  void note_handle(std::uint16_t call, avcpu::CallResult const& answer) {
    if (call == PEGASUS_CALL_MODULE_LOAD || call == PEGASUS_CALL_MODULE_FUNCTION ||
        call == PEGASUS_CALL_STREAM_CREATE || call == PEGASUS_CALL_EVENT_CREATE ||
        call == PEGASUS_CALL_GRAPH_CREATE) {
      std::memcpy(&last_handle_, answer.body, sizeof last_handle_);
      fuzz::require(last_handle_ != 0);
    }
  }

  fuzz::Input input_;
  Guest guest_;
  avcpu::CallHandler handler_{make_context, &guest_};
  std::uint64_t last_handle_ = 0;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  Session(fuzz::Input(data, size)).run();
  return 0;
}
