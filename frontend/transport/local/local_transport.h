// SPDX-License-Identifier: Apache-2.0
// Channels between processes of one machine: pages from a sealed memfd that pegasusd sends over a unix
// socket, doorbells by futex. The socket stays open: its hang-up tells each side that the other is gone.
#pragma once

#include "frontend/transport/transport.h"
#include "frontend/transport/versions.h"

namespace pegasus::frontend {

class LocalTransport final : public Transport {
public:
  // Returns true if $PEGASUS_SOCKET is set or one of the default sockets exists.
  static bool present();
  // Connects to $PEGASUS_SOCKET, else to the default sockets. While the program's domain waits, so
  // does this call.
  static LocalTransport* open(pegasus_connect_kind kind, TransportError& error);

  std::byte* memory() const override { return memory_; }
  pegasus_connect_reply const& connect_reply() const override { return connect_reply_; }
  std::uint64_t host_window_bytes() const override { return host_window_bytes_; }
  void wake(std::uint32_t* word) override;
  void sleep(std::uint32_t* word, std::uint32_t value, std::uint64_t timeout_ns) override;
  void leave() override {} // the socket's hang-up tells pegasusd
  void abandon() override;
  bool hung_up() override;
  bool closed_by_program() override;

  struct Files { // that came with a connect reply; -1: none
    int memory = -1;
    int host_window = -1;
  };

private:
  LocalTransport(pegasus_connect_kind kind, SpokenVersions spoken) : kind_(kind), spoken_(spoken) {}
  bool shake_hands(TransportError& error);
  // The daemon's packet is the first `length` bytes of connect_reply_.
  bool take_connect_reply(std::ptrdiff_t length, Files const& files, TransportError& error);
  void map_host_window(int file);

  // pegasusd refused because it does not know that versions are chosen
  [[nodiscard]] bool of_version_1() const;

  pegasus_connect_kind kind_;
  SpokenVersions spoken_;
  int socket_ = -1;
  std::byte* memory_ = nullptr;
  std::uint64_t host_window_bytes_ = 0;
  pegasus_connect_reply connect_reply_{};
  bool to_ask_again_ = false;
};

} // namespace pegasus::frontend
