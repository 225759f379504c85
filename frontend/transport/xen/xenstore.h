// SPDX-License-Identifier: Apache-2.0
// What a guest process needs of xenstore, over /dev/xen/xenbus: no library of Xen's, so that ours needs none.
// Source: Xen's docs/misc/xenstore.txt and public/io/xs_wire.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pegasus::frontend {

class Xenstore {
public:
  Xenstore() = default;
  explicit Xenstore(int file) : file_(file) {} // takes over what speaks as /dev/xen/xenbus does
  ~Xenstore() { hang_up(); }
  Xenstore(Xenstore const&) = delete;
  Xenstore& operator=(Xenstore const&) = delete;

  [[nodiscard]] bool open(); // false: not a guest of Xen, or no permission (errno)

  // False: errno says why. Relative paths start at the guest's own directory. After an answer that is none
  // nothing is asked any more: where the next one begins is unknown.
  [[nodiscard]] bool read(std::string const& path, std::string& value);
  [[nodiscard]] bool list(std::string const& path, std::vector<std::string>& names);
  [[nodiscard]] bool write(std::string const& path, std::string const& value);
  bool remove(std::string const& path);
  [[nodiscard]] bool watch(std::string const& path); // fires once at once
  // Returns after a watch has fired; false: it has not for so long.
  [[nodiscard]] bool wait(int timeout_ms);

private:
  bool ask(std::uint32_t type, std::string const& payload, std::string& answer);
  bool receive(std::uint32_t& type, std::string& payload);
  void hang_up();

  int file_ = -1;
  bool fired_ = false; // a watch's event came while we waited for an answer
};

} // namespace pegasus::frontend
