// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/hello.h"

#include "control/domain_name.h"
#include "frontend/protocol/channel.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/core.h>

namespace pegasus::guests {
namespace {

// The text up to the first NUL, at most the whole field.
template <std::size_t size> std::string_view field(char const (&bytes)[size]) {
  return {bytes, static_cast<std::size_t>(std::find(bytes, bytes + size, '\0') - bytes)};
}

} // namespace

std::string printable(std::string_view text) {
  std::string result(text);
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c < 0x20 || c > 0x7e; }, '?');
  return result;
}

tl::expected<Hello, Refusal> parse_hello(std::span<const std::byte> packet) {
  pegasus_hello raw{};
  std::memcpy(&raw, packet.data(), std::min(packet.size(), sizeof raw));
  if (packet.size() < 8 || raw.magic != PEGASUS_HELLO_MAGIC)
    return tl::unexpected(Refusal{EPROTO, "this is not a Pegasus guest: the first packet is no hello"});
  if (raw.version != PEGASUS_PROTOCOL_VERSION)
    return tl::unexpected(
        Refusal{EPROTONOSUPPORT, fmt::format("protocol version {} is not spoken here, version {} is: install "
                                             "the guest libraries of this pegasusd's release",
                                             raw.version, PEGASUS_PROTOCOL_VERSION)});
  if (packet.size() != sizeof raw)
    return tl::unexpected(
        Refusal{EPROTO, fmt::format("the hello is {} bytes, not {}", packet.size(), sizeof raw)});
  Hello hello;
  hello.process = raw.task;
  hello.slots = raw.slots;
  hello.arena_bytes = raw.arena_bytes;
  hello.domain = field(raw.domain);
  hello.program = printable(field(raw.program));
  if (!hello.domain.empty() && !control::valid_domain_name(hello.domain))
    return tl::unexpected(Refusal{EINVAL, fmt::format("\"{}\" is not a domain's name: {}",
                                                      printable(hello.domain), control::domain_name_rule)});
  return hello;
}

pegasus_welcome make_welcome() {
  pegasus_welcome welcome{};
  welcome.magic = PEGASUS_WELCOME_MAGIC;
  welcome.version = PEGASUS_PROTOCOL_VERSION;
  return welcome;
}

pegasus_welcome make_refusal(Refusal const& refusal) {
  pegasus_welcome welcome = make_welcome();
  welcome.error = refusal.error;
  refusal.message.copy(welcome.message, sizeof welcome.message - 1);
  return welcome;
}

} // namespace pegasus::guests
