// SPDX-License-Identifier: Apache-2.0
// Which versions of the protocol this library speaks, and with which pegasusd it can go on. PROTOCOL.md,
// "Versions".
#pragma once

#include "frontend/transport/fail.h"

#include <cerrno>
#include <string_view>

namespace pegasus::frontend {

// What is said to a pegasusd that is not known yet. Of all pegasusds, only those of version 1 do not choose:
// they refuse any other, and are asked again in theirs.
struct SpokenVersions {
  std::uint32_t oldest = PEGASUS_PROTOCOL_OLDEST;
  std::uint32_t newest = PEGASUS_PROTOCOL_VERSION;

  [[nodiscard]] bool contain(std::uint32_t version) const { return oldest <= version && version <= newest; }
  // Version 1 alone, if it is spoken and was not the only one.
  [[nodiscard]] bool narrow_to_version_1() {
    if (oldest != 1 || newest == 1) return false;
    newest = 1;
    return true;
  }
};

// A refusal by a pegasusd of version 1 reaches a guest of Xen as this sentence alone.
inline bool refuses_all_but_version_1(std::string_view sentence) {
  return sentence.starts_with("protocol version ") &&
         sentence.find(" is not spoken here, version 1 is") != std::string_view::npos;
}

inline constexpr std::uint32_t spoken_features = PEGASUS_FEATURE_HOST_WINDOW;

// The names are the same in both transports' requests.
void set_versions(auto& connect_request, SpokenVersions spoken) {
  connect_request.version = spoken.newest;
  if (spoken.newest < 2) return; // the request ends before the rest
  connect_request.oldest = spoken.oldest;
  connect_request.features = spoken_features;
}

// False, with a sentence for whoever installed the libraries, if the version of the reply is not spoken here.
inline bool accept_version(pegasus_connect_reply const& connect_reply, SpokenVersions spoken,
                           TransportError& error) {
  if (connect_reply.error == EPROTONOSUPPORT && connect_reply.message[0] != '\0') // it has both ranges
    return fail(error, version_mismatch, "the accelerator daemon refused this program: %.255s",
                connect_reply.message);
  return spoken.contain(connect_reply.version) ||
         fail(error, version_mismatch,
              "the accelerator daemon answers in protocol version %u, this library speaks versions %u to %u: "
              "upgrade %s",
              connect_reply.version, spoken.oldest, spoken.newest,
              connect_reply.version > spoken.newest ? "the guest libraries" : "pegasusd");
}

} // namespace pegasus::frontend
