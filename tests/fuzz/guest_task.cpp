// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/guest_task.h"

namespace pegasus::fuzz {

bool GuestTask::is_answered_at_once(std::uint16_t call) {
  switch (call) {
#define PEGASUS_ANSWERED_SYNC true
#define PEGASUS_ANSWERED_POSTED false
#define PEGASUS_ANSWERED(number, NAME, stem, kind, ...)                                                      \
  case number:                                                                                               \
    return PEGASUS_ANSWERED_##kind;
    PEGASUS_CALLS(PEGASUS_ANSWERED)
#undef PEGASUS_ANSWERED
#undef PEGASUS_ANSWERED_POSTED
#undef PEGASUS_ANSWERED_SYNC
  default:
    return true;
  }
}

avcpu::CallResult GuestTask::call(std::uint16_t number, std::span<std::byte const> body,
                                  std::span<std::byte> data) {
  pegasus_request request{};
  request.call = number;
  request.data_bytes = static_cast<std::uint32_t>(data.size());
  std::memcpy(request.body, body.data(), body.size());
  return call(request, data, Gate());
}

} // namespace pegasus::fuzz
