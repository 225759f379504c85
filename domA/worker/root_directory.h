// SPDX-License-Identifier: Apache-2.0
// An empty root directory, except for the given files. For use in a separate mount namespace.
#pragma once

#include "domA/worker/jail.h"
#include "domA/worker/refuse.h"

#include <sys/stat.h>

namespace pegasus::worker {

class RootDirectory {
public:
  // Opens the files while the process can still see them.
  explicit RootDirectory(Files const& files);
  ~RootDirectory();
  RootDirectory(RootDirectory const&) = delete;
  RootDirectory& operator=(RootDirectory const&) = delete;

  // Needs CAP_SYS_ADMIN over the mount namespace, and a user that the namespace knows.
  void enter() const;

private:
  struct Kept {
    std::string path;
    int fd;
    bool directory;
  };
  void keep(std::string const& path);

  std::vector<Kept> kept_;
};

} // namespace pegasus::worker
