// SPDX-License-Identifier: Apache-2.0
// A new directory that only this user can enter, removed with all its contents.
#pragma once

#include "ctl/failure.h"

#include <string>

namespace pegasus::ctl {

class TemporaryDirectory {
public:
  // In $XDG_RUNTIME_DIR if that is usable (it is ours alone and short: a socket's path has 107 bytes), else
  // in the directory for temporary files.
  [[nodiscard]] static Result<TemporaryDirectory> create();

  TemporaryDirectory(TemporaryDirectory&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  ~TemporaryDirectory();

  [[nodiscard]] std::string const& path() const { return path_; }

private:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_; // empty: moved from
};

} // namespace pegasus::ctl
