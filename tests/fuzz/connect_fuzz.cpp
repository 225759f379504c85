// SPDX-License-Identifier: Apache-2.0
// Any bytes as a guest's first packet. The result is a connect request with the strings that
// connect_request.h promises, or a refusal that fits its packet.
#include "domA/guests/connect_request.h"

#include "control/domain_name.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/require.h"

namespace {

using pegasus::fuzz::require;

bool printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7e; });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const connect_request = pegasus::guests::parse_connect_request(std::as_bytes(std::span(data, size)));
  if (connect_request) {
    require(size >= PEGASUS_CONNECT_REQUEST_BYTES_1 && size <= PEGASUS_CONNECT_BYTES_MAX);
    require(connect_request->agreement.version >= PEGASUS_PROTOCOL_OLDEST &&
            connect_request->agreement.version <= PEGASUS_PROTOCOL_VERSION);
    require(connect_request->domain.empty() || pegasus::control::valid_domain_name(connect_request->domain));
    require(printable(connect_request->program) && connect_request->program.size() <= PEGASUS_NAME_BYTES);
    return 0;
  }
  require(connect_request.error().error != 0 && !connect_request.error().message.empty() &&
          printable(connect_request.error().message));
  pegasus_connect_reply const answer = pegasus::guests::make_rejection(connect_request.error());
  require(answer.version >= PEGASUS_PROTOCOL_OLDEST && answer.version <= PEGASUS_PROTOCOL_VERSION);
  require(answer.error == connect_request.error().error);
  require(std::find(std::begin(answer.message), std::end(answer.message), '\0') != std::end(answer.message));
  return 0;
}
