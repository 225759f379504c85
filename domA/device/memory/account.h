// SPDX-License-Identifier: Apache-2.0
// The bytes that one context has charged to its worker's quota.
#pragma once

#include "domA/device/memory/quota.h"

#include <cstdint>

namespace pegasus::memory {

class Account {
public:
  explicit Account(Quota const& quota) : quota_(quota) {}
  ~Account() { quota_.release(charged_); }
  Account(Account const&) = delete;
  Account& operator=(Account const&) = delete;

  // Makes the charge equal to `bytes`. Returns false if the quota refused the growth; the charge
  // is then unchanged.
  [[nodiscard]] bool charge(std::uint64_t bytes) {
    if (bytes > charged_ && !quota_.charge(bytes - charged_)) return false;
    if (bytes < charged_) quota_.release(charged_ - bytes);
    charged_ = bytes;
    return true;
  }
  [[nodiscard]] std::uint64_t charged() const { return charged_; }

private:
  Quota quota_;
  std::uint64_t charged_ = 0;
};

} // namespace pegasus::memory
