// SPDX-License-Identifier: Apache-2.0
// Any bytes as a guest's first packet. The result is a hello with the strings that hello.h promises, or a
// refusal that fits its packet.
#include "domA/guests/hello.h"

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
  auto const hello = pegasus::guests::parse_hello(std::as_bytes(std::span(data, size)));
  if (hello) {
    require(size == sizeof(pegasus_hello));
    require(hello->domain.empty() || pegasus::control::valid_domain_name(hello->domain));
    require(printable(hello->program) && hello->program.size() <= PEGASUS_NAME_BYTES);
    return 0;
  }
  require(hello.error().error != 0 && !hello.error().message.empty() && printable(hello.error().message));
  pegasus_welcome const answer = pegasus::guests::make_refusal(hello.error());
  require(answer.error == hello.error().error);
  require(std::find(std::begin(answer.message), std::end(answer.message), '\0') != std::end(answer.message));
  return 0;
}
