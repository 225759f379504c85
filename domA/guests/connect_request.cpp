// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/connect_request.h"

#include "control/domain_name.h"

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

std::string text_of(Versions versions) {
  return versions.oldest == versions.newest
             ? fmt::format("version {}", versions.newest)
             : fmt::format("versions {} to {}", versions.oldest, versions.newest);
}

tl::unexpected<Rejection> refuse(std::uint32_t error, std::string message, Agreement agreement = {}) {
  return tl::unexpected(Rejection{error, std::move(message), agreement});
}

tl::expected<Agreement, Rejection> agreement_with(pegasus_connect_request const& raw) {
  Versions const guest{raw.oldest == 0 ? raw.version : raw.oldest, raw.version};
  if (guest.oldest > guest.newest)
    return refuse(EPROTO,
                  fmt::format("the connect request names protocol versions {} to {}: the range is empty",
                              guest.oldest, guest.newest));
  auto const version = common_version(guest, spoken_here);
  if (!version)
    return refuse(EPROTONOSUPPORT, no_common_version(guest, spoken_here), {spoken_here.newest, 0});
  return Agreement{*version, *version == 1 ? 0 : raw.features & features_here};
}

} // namespace

std::optional<std::uint32_t> common_version(Versions guest, Versions here) {
  std::uint32_t const newest = std::min(guest.newest, here.newest);
  if (newest < std::max(guest.oldest, here.oldest)) return std::nullopt;
  return newest;
}

std::string no_common_version(Versions guest, Versions here) {
  return fmt::format("this program's guest libraries speak protocol {}, pegasusd speaks {}: upgrade {}",
                     text_of(guest), text_of(here),
                     guest.newest < here.oldest ? "the guest libraries" : "pegasusd");
}

std::string printable(std::string_view text) {
  std::string result(text);
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c < 0x20 || c > 0x7e; }, '?');
  return result;
}

tl::expected<ConnectRequest, Rejection> parse_connect_request(std::span<std::byte const> packet) {
  pegasus_connect_request raw{}; // what a shorter packet lacks is zero
  std::memcpy(&raw, packet.data(), std::min(packet.size(), sizeof raw));
  if (packet.size() < 8 || raw.magic != PEGASUS_CONNECT_REQUEST_MAGIC)
    return refuse(EPROTO, "this is not a Pegasus guest: the first packet is not a connect request");
  auto const agreement = agreement_with(raw);
  if (!agreement) return tl::unexpected(agreement.error());
  if (packet.size() < PEGASUS_CONNECT_REQUEST_BYTES_1 || packet.size() > PEGASUS_CONNECT_BYTES_MAX)
    return refuse(EPROTO,
                  fmt::format("the connect request is {} bytes, not {} to {}", packet.size(),
                              PEGASUS_CONNECT_REQUEST_BYTES_1, PEGASUS_CONNECT_BYTES_MAX),
                  *agreement);
  if (raw.kind != PEGASUS_CONNECT_TASK && raw.kind != PEGASUS_CONNECT_TOTALS)
    return refuse(EINVAL,
                  fmt::format("the connect request has the unknown kind {}: upgrade pegasusd", raw.kind),
                  *agreement);
  ConnectRequest connect_request;
  connect_request.agreement = *agreement;
  connect_request.kind = static_cast<pegasus_connect_kind>(raw.kind);
  connect_request.process = raw.task;
  connect_request.slots = raw.slots;
  connect_request.arena_bytes = raw.arena_bytes;
  connect_request.domain = field(raw.domain);
  connect_request.program = printable(field(raw.program));
  if (!connect_request.domain.empty() && !control::valid_domain_name(connect_request.domain))
    return refuse(EINVAL,
                  fmt::format("\"{}\" is not a domain's name: {}", printable(connect_request.domain),
                              control::domain_name_rule),
                  *agreement);
  return connect_request;
}

pegasus_connect_reply make_connect_reply(Agreement agreement) {
  pegasus_connect_reply connect_reply{};
  connect_reply.magic = PEGASUS_CONNECT_REPLY_MAGIC;
  agree(connect_reply, agreement);
  return connect_reply;
}

pegasus_connect_reply make_rejection(Rejection const& rejection) {
  pegasus_connect_reply connect_reply = make_connect_reply(rejection.agreement);
  connect_reply.error = rejection.error;
  rejection.message.copy(connect_reply.message, sizeof connect_reply.message - 1);
  return connect_reply;
}

void agree(pegasus_connect_reply& connect_reply, Agreement agreement) {
  connect_reply.version = agreement.version;
  connect_reply.features = agreement.features;
}

std::span<std::byte const> bytes_of(pegasus_connect_reply const& connect_reply) {
  auto const all = std::as_bytes(std::span(&connect_reply, 1));
  return connect_reply.version == 1 ? all.first(PEGASUS_CONNECT_REPLY_BYTES_1) : all;
}

} // namespace pegasus::guests
