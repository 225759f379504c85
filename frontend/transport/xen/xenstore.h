// SPDX-License-Identifier: Apache-2.0
// The part of xenstore that a guest process needs, over /dev/xen/xenbus, without Xen's libraries. Source:
// Xen's docs/misc/xenstore.txt and public/io/xs_wire.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pegasus::frontend {

class Xenstore {
public:
  Xenstore() = default;
  explicit Xenstore(int file) : file_(file) {} // takes over a descriptor that speaks as /dev/xen/xenbus does
  ~Xenstore() { hang_up(); }
  Xenstore(Xenstore const&) = delete;
  Xenstore& operator=(Xenstore const&) = delete;

  [[nodiscard]] bool open(); // false: not a guest of Xen, or no permission (errno)

  // On failure these return false and set errno. Relative paths start at the guest's own directory. After a
  // malformed answer no further request is sent: the start of the next answer is unknown.
  [[nodiscard]] bool read(std::string const& path, std::string& value);
  [[nodiscard]] bool list(std::string const& path, std::vector<std::string>& names);
  [[nodiscard]] bool write(std::string const& path, std::string const& value);
  bool remove(std::string const& path);
  [[nodiscard]] bool watch(std::string const& path); // also fires once at registration
  // Returns after a watch has fired; false on timeout.
  [[nodiscard]] bool wait(int timeout_ms);

private:
  bool ask(std::uint32_t type, std::string const& payload, std::string& answer);
  bool receive(std::uint32_t& type, std::string& payload);
  void hang_up();

  int file_ = -1;
  bool fired_ = false; // a watch event came while waiting for an answer
};

} // namespace pegasus::frontend
