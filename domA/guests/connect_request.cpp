// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/connect_request.h"

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

tl::expected<ConnectRequest, Rejection> parse_connect_request(std::span<std::byte const> packet) {
  pegasus_connect_request raw{};
  std::memcpy(&raw, packet.data(), std::min(packet.size(), sizeof raw));
  if (packet.size() < 8 || raw.magic != PEGASUS_CONNECT_REQUEST_MAGIC)
    return tl::unexpected(
        Rejection{EPROTO, "this is not a Pegasus guest: the first packet is not a connect request"});
  if (raw.version != PEGASUS_PROTOCOL_VERSION)
    return tl::unexpected(Rejection{
        EPROTONOSUPPORT, fmt::format("protocol version {} is not spoken here, version {} is: install "
                                     "the guest libraries of this pegasusd's release",
                                     raw.version, PEGASUS_PROTOCOL_VERSION)});
  if (packet.size() != sizeof raw)
    return tl::unexpected(
        Rejection{EPROTO, fmt::format("the connect request is {} bytes, not {}", packet.size(), sizeof raw)});
  if (raw.kind != PEGASUS_CONNECT_TASK && raw.kind != PEGASUS_CONNECT_TOTALS)
    return tl::unexpected(
        Rejection{EINVAL, fmt::format("the connect request is of kind {}, which is not known here: "
                                      "install the guest libraries of this pegasusd's release",
                                      raw.kind)});
  ConnectRequest connect_request;
  connect_request.kind = static_cast<pegasus_connect_kind>(raw.kind);
  connect_request.process = raw.task;
  connect_request.slots = raw.slots;
  connect_request.arena_bytes = raw.arena_bytes;
  connect_request.domain = field(raw.domain);
  connect_request.program = printable(field(raw.program));
  if (!connect_request.domain.empty() && !control::valid_domain_name(connect_request.domain))
    return tl::unexpected(
        Rejection{EINVAL, fmt::format("\"{}\" is not a domain's name: {}", printable(connect_request.domain),
                                      control::domain_name_rule)});
  return connect_request;
}

pegasus_connect_reply make_connect_reply() {
  pegasus_connect_reply connect_reply{};
  connect_reply.magic = PEGASUS_CONNECT_REPLY_MAGIC;
  connect_reply.version = PEGASUS_PROTOCOL_VERSION;
  return connect_reply;
}

pegasus_connect_reply make_rejection(Rejection const& rejection) {
  pegasus_connect_reply connect_reply = make_connect_reply();
  connect_reply.error = rejection.error;
  rejection.message.copy(connect_reply.message, sizeof connect_reply.message - 1);
  return connect_reply;
}

} // namespace pegasus::guests
